# expect: value []
import os

read = []
for folder in ("/", "..", "../..", "/etc", "/proc/self"):
    try:
        os.chdir(folder)
    except OSError:
        pass
    for path in ("etc/passwd", "passwd", "environ", "../etc/passwd"):
        try:
            read.append(open(path).read())
        except OSError:
            pass
os.chdir("/workspace")
read
