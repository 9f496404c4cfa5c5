# expect: value [[], true]
import os

open("mine.txt", "w").write("mine")
moved = []
for target in ("/mine.txt", "../mine.txt", "/tmp/mine.txt", "/servers/mine.txt", "/usr/local/lib/mine.txt"):
    for move in (os.rename, os.replace):
        try:
            move("mine.txt", target)
            moved.append(target)
        except OSError:
            pass
[moved, os.path.exists("mine.txt")]
