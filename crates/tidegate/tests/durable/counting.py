"""An MCP server that writes down every call before it answers, and takes its time.

    python3 counting.py FILE [AT MOST SECONDS [AT LEAST SECONDS]]

Each call appends one line `tool key` to FILE, synced, so that whoever compares can trust it. As soon as there is a file
FILE.changed, its tools are described in other words, and it says that they have changed.
"""

import json
import os
import random
import sys
import threading
import time

FILE = sys.argv[1]
SLOWEST = float(sys.argv[2]) if len(sys.argv) > 2 else 0.05
QUICKEST = float(sys.argv[3]) if len(sys.argv) > 3 else 0

lock = threading.Lock()
counted = os.open(FILE, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)

KEY = {"type": "object", "properties": {"key": {"type": "string"}}, "required": ["key"]}
TOOLS = [
    {"name": "look", "description": "Reads.", "inputSchema": KEY, "annotations": {"readOnlyHint": True}},
    {"name": "put", "description": "Sets a value.", "inputSchema": KEY, "annotations": {"idempotentHint": True}},
    {"name": "book", "description": "Books something.", "inputSchema": KEY},
]


def listed():
    words = " For everybody." if os.path.exists(f"{FILE}.changed") else ""
    return [{**tool, "description": tool["description"] + words} for tool in TOOLS]


def watch():
    while not os.path.exists(f"{FILE}.changed"):
        time.sleep(0.05)
    say({"method": "notifications/tools/list_changed"})


def say(message):
    with lock:
        sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        sys.stdout.flush()


def call(number, tool, key):
    os.write(counted, f"{tool} {key}\n".encode())
    os.fsync(counted)
    time.sleep(random.uniform(QUICKEST, SLOWEST))
    text = json.dumps({"tool": tool, "key": key})
    say({"id": number, "result": {"content": [{"type": "text", "text": text}]}})


threading.Thread(target=watch, daemon=True).start()
for line in sys.stdin:
    asked = json.loads(line)
    number, method = asked.get("id"), asked.get("method")
    if number is None:
        continue
    if method == "initialize":
        version = asked["params"]["protocolVersion"]
        about = {"name": "counting", "version": "1"}
        say({"id": number, "result": {"protocolVersion": version, "capabilities": {"tools": {"listChanged": True}}, "serverInfo": about}})
    elif method == "tools/list":
        say({"id": number, "result": {"tools": listed()}})
    elif method == "tools/call":
        params = asked["params"]
        threading.Thread(target=call, args=(number, params["name"], params["arguments"]["key"]), daemon=True).start()
    else:
        say({"id": number, "error": {"code": -32601, "message": "no such method"}})
