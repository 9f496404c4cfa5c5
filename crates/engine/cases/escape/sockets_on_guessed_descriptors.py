# expect: value []
import socket

taken = []
for fd in range(0, 64):
    try:
        taken.append(socket.socket(fileno=fd).recv(1))
    except Exception:
        pass
taken
