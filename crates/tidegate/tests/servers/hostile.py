"""A server that misbehaves in one way, named by its first argument, and is well otherwise.

Every one has the tool `well`. It needs nothing but Python, and speaks the revisions that begin with
`initialize`. Its process number goes into the file PIDS, so that a test can see that it ended.
"""

import json
import os
import signal
import sys

HOW = sys.argv[1]

TOOLS = {
    "steady": [],
    "crash": ["die"],
    "silent": ["never"],
    "flood": ["flood"],
    "garbage": ["mumble"],
    "changing": ["grow", "shrink"],
    "numbers": ["wide", "unreadable", "given"],
}[HOW] + ["well"]


def send(message):
    sys.stdout.buffer.write(json.dumps({"jsonrpc": "2.0", **message}).encode() + b"\n")
    sys.stdout.buffer.flush()


def text(words):
    return {"content": [{"type": "text", "text": words}]}


def garbage():
    noise = [
        b"Starting up, please wait ...\n",
        b'{"jsonrpc": "2.0", "id": 987653, "result": {"half\n',
        b"\xff\xfe\x00 not even text\n",
        b"[1, 2, 3]\nnull\n42\n\n",
        b'{"jsonrpc": "2.0", "id": 987654, "result": {}}\n',
        b'{"jsonrpc": "2.0", "id": "nobody asked", "error": {"code": 1, "message": "no"}}\n',
        b'{"jsonrpc": "2.0", "method": "notifications/nonsense", "params": {"deep": ' + b"[" * 500 + b"]" * 500 + b"}}\n",
        b"x" * 100_000 + b"\n",
    ]
    sys.stdout.buffer.write(b"".join(noise))
    sys.stdout.buffer.flush()
    sys.stderr.write("garbage on standard error too\n" * 10_000)
    sys.stderr.flush()


def call(tool, number, arguments):
    """The result of a call, or None if there is none."""
    if tool == "mumble":
        sys.stdout.buffer.write(b'{"jsonrpc": "2.0", "id": %d, "result": {"content": [{"ty\n' % number)
        sys.stdout.buffer.flush()
        return None
    if tool == "die":
        sys.stderr.write("out of luck\n")
        sys.stderr.flush()
        os._exit(7)
    if tool == "never":
        return None
    if tool == "flood":
        return text("~" * (50 << 20))
    if tool == "wide":
        return {**text("Found one."), "structuredContent": {"id": 10**29 + 1, "ids": [-(2**64) - 1]}}
    if tool == "unreadable":
        return {"content": [], "structuredContent": {"x": float("nan")}}
    if tool == "given":
        return text(" ".join(str(int(number)) for number in arguments.values()))
    if tool == "grow":
        # Says nothing: whoever asks for the tool has to look again.
        TOOLS.append("grown")
    if tool == "shrink":
        TOOLS.remove("well")
        send({"method": "notifications/tools/list_changed"})
    return text(f"{HOW}: {tool}")


def answer(method, params):
    """The result of a request, or None if the method is not known."""
    if method == "initialize":
        return {
            "protocolVersion": params["protocolVersion"],
            "capabilities": {"tools": {"listChanged": True}},
            "serverInfo": {"name": HOW, "version": "1"},
        }
    if method == "ping":
        return {}
    if method == "tools/list":
        return {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in TOOLS]}
    return None


with open(os.environ["PIDS"], "a") as file:
    file.write(f"{os.getpid()}\n")
if HOW == "silent":
    # Does not even end when it is asked to.
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    signal.signal(signal.SIGHUP, signal.SIG_IGN)

for line in sys.stdin.buffer:
    request = json.loads(line)
    if HOW == "garbage":
        garbage()
    if "id" not in request:
        continue
    method, params = request.get("method"), request.get("params") or {}
    if method == "tools/call":
        if params["name"] in TOOLS:
            result = call(params["name"], request["id"], params.get("arguments") or {})
        else:
            send({"id": request["id"], "error": {"code": -32602, "message": f"no tool {params['name']}"}})
            continue
        if result is None:
            continue
    else:
        result = answer(method, params)
    if result is None:
        send({"id": request["id"], "error": {"code": -32601, "message": f"no method {method}"}})
    else:
        send({"id": request["id"], "result": result})

while HOW == "silent":
    signal.pause()
