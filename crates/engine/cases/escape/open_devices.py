# expect: value []
opened = []
for path in ("/dev/null", "/dev/zero", "/dev/full", "/dev/tty", "/dev/stdin", "/dev/fd/0", "/dev/shm/x", "/dev/sda"):
    for mode in ("rb", "wb"):
        try:
            open(path, mode).close()
            opened.append(path)
        except OSError:
            pass
opened
