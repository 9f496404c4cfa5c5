# expect: value []
places = ("/escaped", "/tmp/escaped", "/etc/escaped", "/usr/local/lib/escaped.py", "/home/escaped", "../escaped")
written = []
for path in places:
    try:
        open(path, "w").write("escaped")
        written.append(path)
    except OSError:
        pass
written
