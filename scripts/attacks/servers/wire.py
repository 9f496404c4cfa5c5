"""The little of MCP over standard streams that the servers in this folder need."""

import json
import os
import sys

SCHEMA = {"type": "object", "properties": {}}


def send(message):
    """Writes one message."""
    sys.stdout.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
    sys.stdout.flush()


def raw(text):
    """Writes whatever it is."""
    sys.stdout.buffer.write(text if isinstance(text, bytes) else text.encode())
    sys.stdout.flush()


def note(word):
    """Writes down that something happened, for the cases that count it."""
    with open(os.environ["ATTACK_NOTES"], "a") as notes:
        notes.write(word + "\n")


def text(words, **more):
    """A result with one text."""
    return {"content": [{"type": "text", "text": words}], **more}


def serve(name, tools, call, other=None, capabilities=None):
    """Answers requests until the streams end. `call(number, tool, arguments, params)` gives a result, or None."""
    for line in sys.stdin:
        try:
            message = json.loads(line)
        except ValueError:
            continue
        method, number = message.get("method"), message.get("id")
        params = message.get("params") or {}
        if method is None:
            note(f"{name} was answered {json.dumps(message.get('error') or message.get('result'))[:300]}")
        elif method == "initialize":
            send(
                {
                    "id": number,
                    "result": {
                        "protocolVersion": params.get("protocolVersion", "2025-06-18"),
                        "capabilities": capabilities or {"tools": {}},
                        "serverInfo": {"name": name, "version": "1"},
                    },
                }
            )
        elif method == "tools/list":
            send({"id": number, "result": {"tools": tools}})
        elif method == "tools/call":
            result = call(number, params.get("name"), params.get("arguments") or {}, params)
            if result is not None:
                send({"id": number, "result": result})
        elif number is not None:
            result = other(method, params) if other else None
            if result is None:
                send({"id": number, "error": {"code": -32601, "message": f"no {method} here"}})
            else:
                send({"id": number, "result": result})
