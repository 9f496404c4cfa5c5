# expect: value [42, true]
# freeze: true
import sys

open("helper.py", "w").write("def answer():\n    return 42\n")
import helper

[helper.answer(), sys.path[-1] == "/workspace"]
# --- next
# expect: value [42, "new"]
import os

os.mkdir("kit")
open("kit/__init__.py", "w").write("")
open("kit/part.py", "w").write("name = 'new'\n")
from kit.part import name

import helper

[helper.answer(), name]
