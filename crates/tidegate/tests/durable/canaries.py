"""An MCP server that is given credentials, and answers with personal data.

    python3 canaries.py FILE            over its standard streams
    python3 canaries.py FILE http       over HTTP, on a port that it prints

Everything it is given is appended to FILE: its environment, headers and arguments.
"""

import http.server
import json
import os
import sys
import threading
import time

FILE = sys.argv[1]
lock = threading.Lock()

PERSON = {
    "name": "Wilhelmine Kanarienfeld",
    "email": "zilpzalp@canary-mail.example.org",
    "iban": "DE89370400440532013000",
    "card": 4111111111111111,
    "note": "call +49 30 901820 or write to zilpzalp@canary-mail.example.org",
}


def tool(name, *keys):
    properties = {key: {} for key in keys}
    return {
        "name": name,
        "description": f"Does {name}.",
        "inputSchema": {"type": "object", "properties": properties, "required": list(keys)},
        "annotations": {"readOnlyHint": name == "person"},
    }


TOOLS = [tool("person"), tool("complain", "text"), tool("wait", "seconds"), tool("connect", "password"), tool("tell", "text")]


def note(what, given):
    with lock, open(FILE, "a", encoding="utf-8") as file:
        file.write(f"{what} {json.dumps(given)}\n")


def called(name, arguments):
    note(name, arguments)
    if name == "person":
        return {"content": [{"type": "text", "text": json.dumps(PERSON)}]}
    if name == "complain":
        words = f"{PERSON['email']} does not like {arguments['text']}"
        return {"content": [{"type": "text", "text": words}], "isError": True}
    if name == "wait":
        time.sleep(arguments["seconds"])
    if name == "connect":
        structured = {"connected": True, "with": arguments["password"]}
        return {"content": [{"type": "text", "text": json.dumps(structured)}], "structuredContent": structured}
    return {"content": [{"type": "text", "text": json.dumps({"done": name, "said": arguments})}]}


def answer(asked):
    method, params = asked["method"], asked.get("params", {})
    if method == "initialize":
        about = {"name": "canaries", "version": "1"}
        return {"result": {"protocolVersion": params["protocolVersion"], "capabilities": {"tools": {}}, "serverInfo": about}}
    if method == "tools/list":
        return {"result": {"tools": TOOLS}}
    if method == "tools/call":
        return {"result": called(params["name"], params.get("arguments", {}))}
    return {"error": {"code": -32601, "message": "no such method"}}


class Handler(http.server.BaseHTTPRequestHandler):
    def do_POST(self):
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        note("headers", [self.headers.get("x-key"), self.headers.get("authorization")])
        if "id" not in asked:
            self.send_response(202)
            self.send_header("content-length", "0")
            self.end_headers()
            return
        body = json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer(asked)}).encode()
        self.send_response(200)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def do_GET(self):
        self.send_response(405)
        self.send_header("content-length", "0")
        self.end_headers()

    do_DELETE = do_GET

    def log_message(self, *_):
        pass


def say(asked):
    text = json.dumps({"jsonrpc": "2.0", "id": asked["id"], **answer(asked)})
    with lock:
        sys.stdout.write(text + "\n")
        sys.stdout.flush()


if len(sys.argv) > 2:
    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    print(server.server_address[1], flush=True)
    server.serve_forever()
note("environment", os.environ.get("CANARY"))
for line in sys.stdin:
    asked = json.loads(line)
    if "id" in asked and "method" in asked:
        threading.Thread(target=say, args=(asked,), daemon=True).start()
