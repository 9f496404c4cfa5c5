# expect: value []
import os

linked = []
for target in ("/etc/passwd", "../etc/passwd", "/usr/local/lib/python315.zip", "/proc/self/environ"):
    try:
        os.link(target, "copy")
        linked.append(target)
    except OSError:
        pass
linked
