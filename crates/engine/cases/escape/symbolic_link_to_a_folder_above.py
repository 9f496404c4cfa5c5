# expect: value []
import os

read = []
for target in ("..", "/", "../..", "/proc/self/root"):
    try:
        os.symlink(target, "up")
        read.append(os.listdir("up"))
    except OSError:
        pass
read
