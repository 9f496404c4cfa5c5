# expect: value 12
# freeze: true
from pathlib import Path

Path("levels.csv").write_text("city,n\nKiel\n")
# --- next
# expect: value ["city,n\nKiel\n", ["levels.csv"]]
import os

[open("levels.csv").read(), os.listdir("/workspace")]
