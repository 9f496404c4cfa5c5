# expect: value true
try:
    import socket

    server = socket.socket()
    server.bind(("0.0.0.0", 8099))
    server.listen()
    return False
except Exception:
    return True
