# expect: value []
import os

read = []
for fd in range(3, 16):
    for path in ("../etc/passwd", "/etc/passwd", "../../proc/self/environ"):
        try:
            read.append(os.open(path, os.O_RDONLY, dir_fd=fd))
        except (OSError, NotImplementedError, TypeError):
            pass
read
