"""A server whose tools do not say what they return.

The file VERSION says which definition of its tools it has, and with a second word that it has one more. It needs nothing but Python, and speaks the
revisions that begin with `initialize`.
"""

import json
import os
import sys

with open(os.environ["VERSION"]) as file:
    version, _, more = file.read().strip().partition(" ")

# This version wants to know which kind of order is searched for.
KIND = {"kind": {"type": "string"}} if version == "kinds" else {}
READ_ONLY = {"readOnlyHint": True}
TOOLS = [
    {
        "name": "list_orders",
        "description": f"Lists orders, version {version}.",
        "inputSchema": {"type": "object", "properties": {}},
        "annotations": READ_ONLY,
    },
    {
        "name": "get_order",
        "inputSchema": {
            "type": "object",
            "required": ["id"],
            "properties": {"id": {"type": "string", "examples": ["ord_1"]}},
        },
        "annotations": READ_ONLY,
    },
    {
        "name": "find_order",
        "inputSchema": {
            "type": "object",
            "required": ["q", *KIND],
            "properties": {"q": {"type": "string"}, **KIND},
            "additionalProperties": False,
        },
        "annotations": READ_ONLY,
    },
    {"name": "delete_orders", "inputSchema": {"type": "object", "properties": {}}, "annotations": {"destructiveHint": True}},
    {
        "name": "count_orders",
        "inputSchema": {"type": "object", "properties": {}},
        "outputSchema": {"type": "object", "required": ["count"], "properties": {"count": {"type": "integer"}}},
        "annotations": READ_ONLY,
    },
]
if more:
    TOOLS.append({"name": "extra_orders", "inputSchema": {"type": "object", "properties": {}}})


def order(number):
    made = {
        "id": f"ord_81f3kd92k{number}",
        "status": ["open", "shipped"][number % 2],
        "assignee": ["marguerite", "bartholomew"][number % 2],
        "email": f"customer{number}@secret.example",
        "total": 12.5 * number,
    }
    if number:
        made["note"] = "a note that nobody else may read"
    return made


def call(tool):
    if tool == "list_orders":
        return {
            "orders": [order(number) for number in range(10)],
            "by_customer": {f"customer{number}@secret.example": number for number in range(3)},
            "api_token": "sk-live-0123456789abcdef",
        }
    if tool == "delete_orders":
        return [1, 2, 3]
    if tool == "count_orders":
        return {"count": 3}
    return order(1)


def answer(method, params):
    """The result of a request, or None if the method is not known."""
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {}},
            "serverInfo": {"name": "untold", "version": "1"},
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": TOOLS}
    if method == "tools/call":
        value = call(params["name"])
        result = {"content": [{"type": "text", "text": json.dumps(value)}]}
        return {**result, "structuredContent": value} if params["name"] == "count_orders" else result
    return None


for line in sys.stdin.buffer:
    request = json.loads(line)
    if "id" not in request:
        continue
    result = answer(request.get("method"), request.get("params") or {})
    if result is None:
        reply = {"error": {"code": -32601, "message": f"no method {request.get('method')}"}}
    else:
        reply = {"result": result}
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", "id": request["id"], **reply}).encode() + b"\n")
    sys.stdout.buffer.flush()
