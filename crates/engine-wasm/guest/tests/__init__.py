"""Tests of the guest package that need no guest: `python3 -m unittest discover -t . -s tests`.

The package is called `_tidegate` inside the guest; here the folder gets that name without
`loop` and `runtime`, which need the door.
"""

import pathlib
import sys
import types

GUEST = pathlib.Path(__file__).resolve().parent.parent

if "_tidegate" not in sys.modules:
    package = types.ModuleType("_tidegate")
    package.__path__ = [str(GUEST)]
    sys.modules["_tidegate"] = package
