"""An MCP server on which things go wrong.

    python3 faulty.py flaky        one call in twenty fails, one in twenty is never answered
    python3 faulty.py restarting   ends itself after every few hundred calls

Chance is seeded, so that every run of the benchmark meets the same.
"""

import json
import os
import random
import sys

MODE = sys.argv[1]
chance = random.Random(7)
ECHO = {"type": "object", "properties": {"text": {"type": "string"}}, "required": ["text"]}
TOOLS = [{"name": "echo", "description": "Says it again.", "inputSchema": ECHO, "annotations": {"readOnlyHint": True}}]
calls = 0


def say(number, **what):
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", "id": number, **what}) + "\n")
    sys.stdout.flush()


for line in sys.stdin:
    asked = json.loads(line)
    number, method = asked.get("id"), asked.get("method")
    if number is None:
        continue
    if method == "initialize":
        about = {"name": MODE, "version": "1"}
        version = asked["params"]["protocolVersion"]
        say(number, result={"protocolVersion": version, "capabilities": {"tools": {}}, "serverInfo": about})
    elif method == "tools/list":
        say(number, result={"tools": TOOLS})
    elif method != "tools/call":
        say(number, error={"code": -32601, "message": "no such method"})
    else:
        calls += 1
        if MODE == "restarting" and calls % 400 == 0:
            os._exit(1)
        luck = chance.random() if MODE == "flaky" else 1
        if luck < 0.05:
            say(number, result={"content": [{"type": "text", "text": "planned failure"}], "isError": True})
        elif luck >= 0.10:
            text = asked["params"]["arguments"]["text"]
            say(number, result={"content": [{"type": "text", "text": text}]})
