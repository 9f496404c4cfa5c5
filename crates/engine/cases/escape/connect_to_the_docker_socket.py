# expect: value []
reached = []
for path in ("/var/run/docker.sock", "/run/systemd/private", "\0abstract"):
    try:
        import socket

        socket.socket(socket.AF_UNIX).connect(path)
        reached.append(path)
    except Exception:
        pass
reached
