import os
from pathlib import Path

folder = Path("/workspace/notes")
folder.mkdir(parents=True, exist_ok=True)
for name, text in {"a.txt": "one\n", "b.txt": "two\nthree\n"}.items():
    (folder / name).write_text(text)
lines = 0
for path in sorted(folder.glob("*.txt")):
    with open(path) as file:
        lines += len(file.readlines())
[lines, sorted(os.listdir(folder)), os.path.getsize(folder / "a.txt")]
