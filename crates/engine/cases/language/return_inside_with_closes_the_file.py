# expect: value "kept"
from pathlib import Path

Path("note.txt").write_text("kept")
with open("note.txt") as note:
    return note.read()
# --- next
# expect: value true
note.closed
