# expect: value []
import os
import subprocess

ran = []
for name, attempt in {
    "system": lambda: os.system("id"),
    "popen": lambda: os.popen("id").read(),
    "run": lambda: subprocess.run(["id"], capture_output=True),
    "shell": lambda: subprocess.check_output("id", shell=True),
    "execv": lambda: os.execv("/bin/sh", ["sh"]),
    "spawn": lambda: __import__("posix").posix_spawn("/bin/id", ["id"], {}),
}.items():
    try:
        attempt()
        ran.append(name)
    except Exception:
        pass
ran
