# expect: value []
import getpass
import os
import platform
import socket

told = []
for ask in (os.getlogin if hasattr(os, "getlogin") else lambda: "", getpass.getuser, socket.gethostname, platform.node):
    try:
        answer = ask()
        if answer not in ("", "(none)", "localhost", "sandbox", "tidegate", "user", "guest"):
            told.append(answer)
    except Exception:
        pass
told
