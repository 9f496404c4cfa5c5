# expect: value "alive"
import os
import shutil

for attempt in (
    lambda: os.rmdir("/workspace"),
    lambda: shutil.rmtree("/workspace"),
    lambda: os.rename("/workspace", "/gone"),
    lambda: os.rmdir("."),
):
    try:
        attempt()
    except OSError:
        pass
with open("/workspace/still.txt", "w") as file:
    file.write("alive")
open("/workspace/still.txt").read()
