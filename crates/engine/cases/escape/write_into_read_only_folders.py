# expect: value [[], ["servers", "skills", "results"]]
import os

written, refused = [], []
for folder in ("servers", "skills", "results"):
    for attempt in (
        lambda: open(f"/{folder}/new.py", "w"),
        lambda: os.mkdir(f"/{folder}/new"),
        lambda: os.rename("mine.txt", f"/{folder}/mine.txt"),
    ):
        open("mine.txt", "w").close()
        try:
            attempt()
            written.append(folder)
        except OSError:
            pass
    if os.listdir(f"/{folder}") == []:
        refused.append(folder)
[written, refused]
