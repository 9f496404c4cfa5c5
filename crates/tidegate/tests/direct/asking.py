"""A server that asks its client something while it deals with a call, as servers up to 2025-11-25 do."""

import json
import sys
import threading

lock = threading.Lock()
answers = {}
answered = threading.Condition()
together = threading.Barrier(2)


def send(message):
    with lock:
        print(json.dumps({"jsonrpc": "2.0", **message}), flush=True)


def ask(number, method, params):
    send({"id": f"q{number}", "method": method, "params": params})
    with answered:
        answered.wait_for(lambda: f"q{number}" in answers)
        return answers[f"q{number}"]


def call(request):
    name, number = request["params"]["name"], request["id"]
    if name == "ask_together":
        # Both calls are under way before either asks.
        together.wait()
    if name == "person":
        structured = {"mobile": 491701234567}
        text = {"type": "text", "text": json.dumps(structured)}
        return send({"id": number, "result": {"content": [text], "structuredContent": structured}})
    token = request["params"].get("_meta", {}).get("progressToken")
    send({"method": "notifications/progress", "params": {"progressToken": token, "progress": 1}})
    answer = ask(number, "elicitation/create", {
        "message": "Sure?",
        "requestedSchema": {"type": "object", "properties": {"sure": {"type": "boolean"}}},
    })
    if name == "ask_together":
        together.wait()
    text = json.dumps(answer.get("result") or answer.get("error"), sort_keys=True)
    send({"id": number, "result": {"content": [{"type": "text", "text": text}]}})


def answer(request):
    method = request["method"]
    if method == "initialize":
        result = {"protocolVersion": "2025-11-25", "capabilities": {"tools": {}, "prompts": {}, "resources": {"subscribe": True}},
                  "serverInfo": {"name": "asking", "version": "1"}}
    elif method == "tools/list":
        result = {"tools": [{"name": name, "inputSchema": {"type": "object"}} for name in ("ask", "ask_together")]}
        mobile = {"type": "object", "properties": {"mobile": {"type": "integer"}}, "required": ["mobile"]}
        result["tools"].append({"name": "person", "inputSchema": {"type": "object"}, "outputSchema": mobile})
    elif method == "resources/list":
        result = {"resources": [{"uri": "x://one", "name": "one"}]}
    elif method == "resources/templates/list":
        result = {"resourceTemplates": [{"uriTemplate": "x://{any}", "name": "any"}]}
    elif method == "prompts/list":
        result = {"prompts": [{"name": "greet"}]}
    elif method in ("resources/subscribe", "resources/unsubscribe"):
        result = {}
    elif method == "resources/read" and request["params"]["uri"] == "x://one":
        result = {"contents": [{"uri": "x://one", "text": "1"}]}
    elif method == "resources/read":
        return send({"id": request["id"], "error": {"code": -32002, "message": "gone", "data": {"why": "moved"}}})
    elif method == "ping":
        result = {}
    else:
        return send({"id": request["id"], "error": {"code": -32601, "message": "unknown"}})
    send({"id": request["id"], "result": result})


for line in sys.stdin:
    message = json.loads(line)
    if message.get("method") == "tools/call":
        threading.Thread(target=call, args=(message,), daemon=True).start()
    elif "method" in message and "id" in message:
        answer(message)
    elif "id" in message:
        with answered:
            answers[message["id"]] = message
            answered.notify_all()
