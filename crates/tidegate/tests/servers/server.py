"""The smallest MCP server: two tools over the standard streams, of the era with `initialize`.

With the variable NOISE it prints a line that is no message, and lists a tool without a name.
"""

import json
import os
import sys

TOOLS = [
    {"name": "add", "description": "Adds two numbers.", "inputSchema": {"type": "object"}},
    {"name": "secret", "description": "Tells its variable.", "inputSchema": {"type": "object"}},
]

if os.environ.get("NOISE"):
    TOOLS.append({"description": "Nobody can call it."})
    print("Welcome to a noisy server", flush=True)


def answer(method, params):
    if method == "initialize":
        info = {"name": "smallest", "version": os.environ.get("VERSION", "0")}
        return {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": info}
    if method == "tools/list":
        return {"tools": TOOLS}
    return None


for line in sys.stdin:
    message = json.loads(line)
    if "id" not in message:
        continue
    reply = {"jsonrpc": "2.0", "id": message["id"]}
    result = answer(message["method"], message.get("params", {}))
    if result is None:
        reply["error"] = {"code": -32601, "message": "there is no such method"}
    else:
        reply["result"] = result
    print(json.dumps(reply), flush=True)
