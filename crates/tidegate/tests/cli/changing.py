"""An MCP server whose tool becomes another one while it runs, and which says so.

    python3 changing.py FILE

Each list of tools that is asked for is a line in FILE. When FILE.changed is there, the tool has another description.
"""

import json
import os
import sys
import threading
import time

FILE = sys.argv[1]
lock = threading.Lock()


def say(message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def has_changed():
    return os.path.exists(FILE + ".changed")


def watch():
    while not has_changed():
        time.sleep(0.01)
    say({"method": "notifications/tools/list_changed"})


def tools():
    schema = {"type": "object", "properties": {"of": {"type": "string"}}, "required": ["of"]}
    about = "The rate of a currency, in cents." if has_changed() else "The rate of a currency."
    return [{"name": "rate", "description": about, "inputSchema": schema, "annotations": {"readOnlyHint": True}}]


threading.Thread(target=watch, daemon=True).start()
for line in sys.stdin:
    asked = json.loads(line)
    number, method = asked.get("id"), asked.get("method")
    if number is None:
        continue
    if method == "initialize":
        version = asked["params"]["protocolVersion"]
        can, about = {"tools": {"listChanged": True}}, {"name": "changing", "version": "1"}
        say({"id": number, "result": {"protocolVersion": version, "capabilities": can, "serverInfo": about}})
    elif method == "tools/list":
        say({"id": number, "result": {"tools": tools()}})
        with open(FILE, "a") as file:
            file.write("listed\n")
    elif method == "tools/call":
        say({"id": number, "result": {"content": [{"type": "text", "text": "{\"rate\": 2}"}]}})
    else:
        say({"id": number, "error": {"code": -32601, "message": "no such method"}})
