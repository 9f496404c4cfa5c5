"""Stands before a server and notes which tools are called, in a file: recorder.py FILE NAME COMMAND ARGUMENTS…

What the server says goes past it: nothing waits for it that a model would not wait for.
"""

import json
import subprocess
import sys

file, name, *command = sys.argv[1:]
server = subprocess.Popen(command, stdin=subprocess.PIPE)
for line in sys.stdin.buffer:
    if b'"tools/call"' in line:
        called = json.loads(line)["params"]
        with open(file, "a") as log:
            log.write(json.dumps({"server": name, "tool": called["name"], "arguments": called.get("arguments", {})}) + "\n")
    server.stdin.write(line)
    server.stdin.flush()
server.stdin.close()
sys.exit(server.wait())
