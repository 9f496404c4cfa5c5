# expect: value []
opened = []
for path in ("/proc/self/mem", "/proc/self/maps", "/proc/1/environ", "/proc/self/fd/0", "/proc/kcore", "/dev/mem"):
    try:
        opened.append((path, open(path, "rb").read(16)))
    except OSError:
        pass
opened
