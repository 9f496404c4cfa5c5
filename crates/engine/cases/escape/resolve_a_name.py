# expect: value true
try:
    import socket

    socket.getaddrinfo("example.com", 443)
    return False
except Exception:
    return True
