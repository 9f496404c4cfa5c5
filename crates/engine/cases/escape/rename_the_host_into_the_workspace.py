# expect: value []
import os

moved = []
for source in ("/etc/passwd", "../etc/passwd", "/usr/local/lib/python315.zip", "/usr/local/lib", "/servers", "/proc"):
    try:
        os.rename(source, "stolen")
        moved.append(source)
    except OSError:
        pass
moved
