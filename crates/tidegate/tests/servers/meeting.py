"""An MCP server whose calls wait for each other, so that it shows how many are open at once."""

import json
import sys
import threading
import time

NUMBER = {"type": "object", "properties": {"count": {"type": "integer"}}, "required": ["count"]}
TOOLS = [
    {"name": "meet", "description": "Answers once so many calls are open.", "inputSchema": NUMBER},
    {"name": "never", "description": "Never answers.", "inputSchema": {"type": "object", "properties": {}}},
]

state = threading.Condition()
opened = most = arrived = 0


def send(number, result):
    print(json.dumps({"jsonrpc": "2.0", "id": number, "result": result}), flush=True)


def meet(number, count, place):
    global opened
    with state:
        state.wait_for(lambda: arrived > place // count * count + count - 1)
    # One call too many has a moment to be seen.
    time.sleep(0.1)
    with state:
        opened -= 1
        value = {"most": most}
        send(number, {"content": [{"type": "text", "text": json.dumps(value)}], "structuredContent": value})


for line in sys.stdin:
    message = json.loads(line)
    number, params = message.get("id"), message.get("params", {})
    if number is None:
        continue
    if message["method"] == "initialize":
        info = {"name": "meeting", "version": "1"}
        answer = {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    elif message["method"] == "tools/list":
        answer = {"tools": TOOLS}
    elif message["method"] == "tools/call" and params["name"] == "meet":
        with state:
            opened += 1
            most = max(most, opened)
            place, arrived = arrived, arrived + 1
            state.notify_all()
        given = (number, params["arguments"]["count"], place)
        threading.Thread(target=meet, args=given, daemon=True).start()
        continue
    elif message["method"] == "tools/call":
        continue
    else:
        error = {"code": -32601, "message": "there is no such method"}
        with state:
            print(json.dumps({"jsonrpc": "2.0", "id": number, "error": error}), flush=True)
        continue
    with state:
        send(number, answer)
