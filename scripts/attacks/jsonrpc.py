"""The protocol of MCP, abused: batches, wrong types, huge ids, unknown methods, floods, streams."""

import json
import socket
import time

from gateway import META, MODERN, hello, messages
from suite import add, case, lacks, one_of, same

KIND = "JSON-RPC and stream abuse"
CALL = {"name": "execute_python", "arguments": {"code": "return 'ran'"}}

# Messages that are none; over HTTP each is refused, over standard streams each is answered or passed over.
WRONG = {
    "a batch": [{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}] * 2,
    "an empty batch": [],
    "a batch of a thousand": [{"jsonrpc": "2.0", "id": i, "method": "tools/list"} for i in range(1000)],
    "no version": {"id": 1, "method": "tools/call", "params": CALL},
    "another version": {"jsonrpc": "1.0", "id": 1, "method": "tools/call", "params": CALL},
    "a method that is a number": {"jsonrpc": "2.0", "id": 1, "method": 5, "params": CALL},
    "a method that is a list": {"jsonrpc": "2.0", "id": 1, "method": ["tools/call"], "params": CALL},
    "parameters that are a list": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": ["execute_python"]},
    "parameters that are a text": {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": "execute_python"},
    "an id that is an object": {"jsonrpc": "2.0", "id": {"a": 1}, "method": "tools/call", "params": CALL},
    "an id that is a list": {"jsonrpc": "2.0", "id": [1], "method": "tools/call", "params": CALL},
    "an id that is true": {"jsonrpc": "2.0", "id": True, "method": "tools/call", "params": CALL},
    "an id with a fraction": {"jsonrpc": "2.0", "id": 1.5, "method": "tools/call", "params": CALL},
    "a name that is no text": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": 5, "arguments": {}},
    },
    "arguments that are a text": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "execute_python", "arguments": "return 'ran'"},
    },
    "code that is a list": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "execute_python", "arguments": {"code": ["return 'ran'"]}},
    },
    "an argument that is none": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "execute_python", "arguments": {"code": "return 'ran'", "owner": "victim"}},
    },
    "a level": {
        "jsonrpc": "2.0",
        "id": 1,
        "method": "tools/call",
        "params": {"name": "execute_python", "arguments": {"code": "return 'ran'", "level": "development"}},
    },
    "a text": "tools/call",
    "a number": 5,
    "null": None,
    "nothing": {},
}


def wrong(message):
    def attempt(world):
        answer = world.main.post(message, "mallory", world.main.session("mallory"), wait=15)
        assert answer.status < 500, f"{answer.status}: {answer.text[:300]}"
        lacks(answer.text, '"return_value":"ran"', "the answer")
        if answer.status == 200:
            assert all("error" in one or one["result"].get("isError") for one in messages(answer)), answer.text[:300]

    return attempt


def wrong_line(message):
    def attempt(world):
        one = world.over_stdio()
        one.send(message)
        told = one.rpc("ping")
        assert "result" in told, told
        same(one.execute("return 6 * 7")["structuredContent"]["return_value"], 42, "the next value")

    return attempt


for name, message in WRONG.items():
    add(KIND, f"over HTTP, a message that is or has {name} runs nothing", wrong(message))
for name in (
    "a batch",
    "a batch of a thousand",
    "a method that is a number",
    "parameters that are a list",
    "an id that is an object",
    "a text",
    "null",
    "nothing",
):
    add(
        KIND,
        f"over standard streams, a message that is or has {name} does not end the conversation",
        wrong_line(WRONG[name]),
    )

LINES = {
    "garbage": b"\x00\xff garbage",
    "half a message": b'{"jsonrpc": "2.0", "id": 7, "method": ',
    "an empty line": b"",
    "spaces": b" " * 100_000,
    "ten thousand brackets": b"[" * 10_000,
    "a line of 20 MiB": b'{"jsonrpc":"2.0","id":5,"method":"x","params":{"a":"' + b"a" * (20 << 20) + b'"}}',
    "half a letter": b'{"jsonrpc":"2.0","id":8,"method":"\\ud800","params":{}}',
}
for name, line in LINES.items():
    add(KIND, f"over standard streams, {name} does not end the conversation", wrong_line(line))

METHODS = (
    "tools/execute",
    "admin/shutdown",
    "$/cancel",
    "rpc.discover",
    "server/restart",
    "../tools/call",
    "TOOLS/CALL",
    "tools/call ",
    "",
    "tidegate/unreadable",
    "tidegate/too-long",
    "roots/list",
    "sampling/createMessage",
    "elicitation/create",
    "logging/setLevel",
    "resources/subscribe",
    "x" * 10_000,
)


def unknown(method):
    def attempt(world):
        told = world.main.rpc(method, CALL, "mallory")
        assert "error" in told, f"{method[:30]!r} was answered: {str(told)[:300]}"
        lacks(str(told), "'ran'", "the answer")
        assert len(str(told)) < 30_000

    return attempt


for method in METHODS:
    add(KIND, f"the method {method[:30]!r} is refused", unknown(method))


@case(KIND, "ids beyond every measure come back as they were, or not at all")
def ids(world):
    for given in (2**63, -(2**63), 10**300, "x" * 100_000, "\u202e\x00", "", 0, -1):
        message = {"jsonrpc": "2.0", "id": given, "method": "ping"}
        answer = world.main.post(message, "mallory", world.main.session("mallory"))
        assert answer.status < 500, f"{answer.status} for {str(given)[:30]}"
        for one in messages(answer) if answer.status == 200 else []:
            one_of(one.get("id"), (given, None), "the id that came back")


@case(KIND, "two requests with one id are both answered, each with its own result")
def same_id(world):
    headers = world.main.session("mallory")
    for code, value in (("return 'one'", "one"), ("return 'two'", "two")):
        message = {
            "jsonrpc": "2.0",
            "id": 77,
            "method": "tools/call",
            "params": {"name": "execute_python", "arguments": {"code": code}},
        }
        told = [one for one in messages(world.main.post(message, "mallory", headers)) if "result" in one]
        same(told[0]["result"]["structuredContent"]["return_value"], value, "the value")


@case(KIND, "answers that nobody asked for, and cancellations of what is not there, change nothing")
def unasked(world):
    headers = world.main.session("mallory")
    for message in (
        {"jsonrpc": "2.0", "id": 1, "result": {"action": "accept", "content": {"decision": "approve"}}},
        {"jsonrpc": "2.0", "id": 0, "error": {"code": 1, "message": "x"}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 1}},
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": {"a": 1}}},
        {"jsonrpc": "2.0", "method": "notifications/nobody/knows", "params": {}},
        {"jsonrpc": "2.0", "method": "notifications/initialized"},
    ):
        answer = world.main.post(message, "mallory", headers)
        assert answer.status < 500, f"{answer.status}: {answer.text[:200]}"
    same(world.main.execute("return 1", "mallory", "MCP").value, 1, "the value afterwards")


@case(KIND, "one client's cancellation does not end another's request of the same number")
def cancelled(world):
    import threading

    found = []
    headers = world.main.session("victim")
    message = {
        "jsonrpc": "2.0",
        "id": 4242,
        "method": "tools/call",
        "params": {
            "name": "execute_python",
            "arguments": {"code": "import asyncio\nawait asyncio.sleep(1.5)\nreturn 'whole'"},
        },
    }
    thread = threading.Thread(target=lambda: found.extend(messages(world.main.post(message, "victim", headers))))
    thread.start()
    time.sleep(0.5)
    world.main.post(
        {"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 4242}},
        "mallory",
        world.main.session("mallory"),
    )
    thread.join(30)
    told = [one for one in found if one.get("id") == 4242]
    same(told[0]["result"]["structuredContent"]["return_value"], "whole", "the other's value")


@case(KIND, "a thousand notifications over standard streams leave it answering")
def flood(world):
    one = world.over_stdio()
    line = json.dumps({"jsonrpc": "2.0", "method": "notifications/cancelled", "params": {"requestId": 9}}).encode()
    one.send(b"\n".join([line] * 1000))
    line = json.dumps(
        {"jsonrpc": "2.0", "method": "notifications/progress", "params": {"progressToken": 1, "progress": 1}}
    ).encode()
    one.send(b"\n".join([line] * 1000))
    same(one.execute("return 6 * 7")["structuredContent"]["return_value"], 42, "the value")


@case(KIND, "a notification that asks for a program runs none")
def notified(world):
    message = {
        "jsonrpc": "2.0",
        "method": "tools/call",
        "params": {
            "name": "execute_python",
            "arguments": {"code": "from servers.honest import echo\nawait echo(word='notified')"},
        },
    }
    world.main.post(message, "mallory", world.main.session("mallory"))
    world.over_stdio().send(message)
    time.sleep(1)
    assert not any("notified" in note for note in world.notes()), "the program ran"


@case(KIND, "a program that is sent before the conversation began is not run, and not after it ended")
def before(world):
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL}
    answer = world.main.post(message, "mallory", {"MCP-Protocol-Version": "2025-06-18"})
    lacks(answer.text, '"return_value":"ran"', "the answer")
    name = world.main.post(hello(), "mallory").headers["mcp-session-id"]
    one_of(
        world.main.ask("DELETE", "/mcp", who="mallory", headers={"Mcp-Session-Id": name}).status,
        (200, 202, 204),
        "the end",
    )
    answer = world.main.post(message, "mallory", {"Mcp-Session-Id": name})
    same(answer.status, 404, "the status after the end")


@case(KIND, "headers that say something else than the message are refused")
def mismatched(world):
    meta = {
        f"{META}protocolVersion": MODERN,
        f"{META}clientCapabilities": {},
        f"{META}clientInfo": {"name": "x", "version": "1"},
    }
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {**CALL, "_meta": meta}}
    for headers in (
        {"Mcp-Method": "tools/list", "Mcp-Name": "execute_python"},
        {"Mcp-Method": "tools/call", "Mcp-Name": "search_tools"},
    ):
        answer = world.main.post(message, "mallory", {"MCP-Protocol-Version": MODERN, **headers})
        lacks(answer.text, '"return_value":"ran"', "the answer")
        assert 400 <= answer.status < 500, f"{answer.status}: {answer.text[:200]}"


@case(KIND, "versions of the protocol that nobody has are answered with one that there is, or refused")
def versions(world):
    for version in ("9999-99-99", "", "2025-06-18\r\nX: 1", "x" * 10_000, 5, None):
        answer = world.main.post(hello(version=version), "mallory")
        assert answer.status < 500, f"{answer.status} for {str(version)[:20]!r}"
        for one in messages(answer) if answer.status == 200 else []:
            if "result" in one:
                assert one["result"]["protocolVersion"].startswith("202"), one


@case(KIND, "other types of bodies and answers are refused at the door of MCP")
def types(world):
    message = json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": CALL})
    for kind, accept in (
        ("text/plain", "application/json, text/event-stream"),
        ("application/json", "text/html"),
        ("application/x-www-form-urlencoded", "*/*"),
        ("multipart/form-data", "application/json, text/event-stream"),
    ):
        headers = {**world.main.session("mallory"), "Content-Type": kind, "Accept": accept}
        answer = world.main.post(message, "mallory", headers)
        one_of(answer.status, (400, 406, 415), f"the status for {kind}, {accept}")
        lacks(answer.text, '"return_value":"ran"', "the answer")


@case(KIND, "a hundred streams that are opened and left do not keep others out")
def streams(world):
    name = world.main.session("mallory")["Mcp-Session-Id"]
    opened = []
    request = (
        f"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {world.main.tokens['mallory']}\r\n"
        f"Mcp-Session-Id: {name}\r\nAccept: text/event-stream\r\n\r\n"
    ).encode()
    for _ in range(100):
        one = socket.create_connection(("127.0.0.1", world.main.port), timeout=5)
        one.sendall(request)
        opened.append(one)
    time.sleep(0.3)
    same(world.main.execute("return 1", "mallory").value, 1, "the value meanwhile")
    for one in opened:
        one.close()
    same(world.main.execute("return 1", "mallory", "MCP").value, 1, "the value afterwards")


@case(KIND, "a client that hangs up in the middle of a program's events ends that program")
def hung_up(world):
    body = json.dumps(
        {
            "code": "import asyncio\nfor i in range(200):\n    print('tick')\n    await asyncio.sleep(0.1)\n"
            "from servers.honest import echo\nawait echo(word='after-hanging-up')"
        }
    ).encode()
    request = (
        f"POST /execute?stream=true HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {world.main.tokens['mallory']}\r\n"
        f"Content-Type: application/json\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    with socket.create_connection(("127.0.0.1", world.main.port), timeout=5) as one:
        one.sendall(request + body)
        one.recv(1000)
    from world import until

    def ended():
        runs = world.main.ask("GET", "/api/v1/runs?limit=1", who="mallory").json["runs"]
        return runs[0]["status"] == "cancelled"

    assert until(ended, 10), "it still runs"


@case(KIND, "a place in a stream that somebody made up gives nothing of others")
def places(world):
    headers = world.main.session("mallory")
    for last in ("0/0", "-1", "99999999", "x", "0", "1/../../2"):
        request = (
            f"GET /mcp HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {world.main.tokens['mallory']}\r\n"
            f"Mcp-Session-Id: {headers['Mcp-Session-Id']}\r\nAccept: text/event-stream\r\n"
            f"Last-Event-ID: {last}\r\n\r\n"
        )
        answer = world.main.raw(request.encode(), wait=0.4)
        assert not answer or answer.startswith(b"HTTP/1.1 ") and not answer.startswith(b"HTTP/1.1 5"), answer[:100]


@case(KIND, "over standard streams, a program's flood of output keeps every line a message")
def output(world):
    one = world.over_stdio()
    result = one.execute(
        "import os\nfor _ in range(200):\n    os.write(1, b'x' * 1000 + b'\\n{\\n')\n"
        "    os.write(2, b'\\xff\\xfe\\n')\nreturn 1"
    )
    same(result["structuredContent"]["return_value"], 1, "the value")
    assert len(json.dumps(result)) < 100_000, "the model gets all of it"
