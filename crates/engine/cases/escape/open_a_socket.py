# expect: value true
try:
    import socket

    socket.socket(socket.AF_INET, socket.SOCK_STREAM).connect(("127.0.0.1", 80))
    return False
except Exception:
    return True
