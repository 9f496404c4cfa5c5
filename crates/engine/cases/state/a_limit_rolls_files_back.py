# expect: value ["kept.txt"]
import os

open("kept.txt", "w").write("original")
os.listdir()
# --- next
# expect: limit cpu
# limits: {"cpu_ms": 200, "wall_ms": 5000}
open("kept.txt", "w").write("changed")
open("new.txt", "w").write("new")
while True:
    pass
# --- next
# expect: value [["kept.txt"], "original"]
[os.listdir(), open("kept.txt").read()]
