# expect: raised OSError
# hint: network
import socket

socket.socket()
