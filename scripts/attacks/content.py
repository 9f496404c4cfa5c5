"""Bodies that are JSON and more than that: deep, large, doubled, of numbers and letters that are none."""

import json

from suite import add, case, lacks, one_of, same

KIND = "JSON depth, size and unicode"
TYPE = {"Content-Type": "application/json"}

# Bodies of /execute that are no request, and may not be taken for one.
BROKEN = {
    "nothing closed": b'{"code": "return 1"',
    "a comma too many": b'{"code": "return 1",}',
    "a comment": b'{"code": "return 1" /* x */}',
    "single quotes": b"{'code': 'return 1'}",
    "two values": b'{"code": "return 1"} {"code": "return 2"}',
    "a list": b'["return 1"]',
    "a text": b'"return 1"',
    "a number": b"1",
    "true": b"true",
    "a zero after it": b'{"code": "return 1"}\x00',
    "a mark of the byte order": b'\xef\xbb\xbf{"code": "return 1"}',
    "UTF-16": '{"code": "return 1"}'.encode("utf-16"),
    "bytes that are no text": b'{"code": "return \xff\xfe"}',
    "too many bytes for a letter": b'{"code": "\xc0\xaf"}',
    "half a letter": b'{"code": "return \\ud800"}',
    "a line feed within a text": b'{"code": "return\n1"}',
    "the code as a list": b'{"code": ["return 1"]}',
    "the code as null": b'{"code": null}',
    "no code": b"{}",
    "NaN": b'{"code": "return 1", "timeout": NaN}',
    "infinity": b'{"code": "return 1", "timeout": Infinity}',
    "a number beyond every measure": b'{"code": "return 1", "timeout": 1e999}',
    "a number with a leading zero": b'{"code": "return 1", "timeout": 01}',
    "a field that is none": b'{"code": "return 1", "owner": "victim"}',
    "a scope": b'{"code": "return 1", "scopes": ["admin"]}',
    "__proto__": b'{"code": "return 1", "__proto__": {"admin": true}}',
    "another language": b'{"code": "return 1", "language": "bash"}',
    "a level that is none": b'{"code": "return 1", "level": "none"}',
    "a level of null letters": b'{"code": "return 1", "level": "hardened\\u0000"}',
    "ten thousand levels": b'{"code": "return 1", "context": ' + b'{"x":' * 10_000 + b"1" + b"}" * 10_000 + b"}",
    "a million brackets": b"[" * 1_000_000,
    "a context that is a list": b'{"code": "return 1", "context": [1]}',
    "a context with names that are none": b'{"code": "return 1", "context": {"a b": 1, "class": 2}}',
    "a context that takes a builtin's name": b'{"code": "return 1", "context": {"__builtins__": {}, "a.b": 1}}',
}


def broken(name, body):
    def attempt(world):
        answer = world.main.ask("POST", "/execute", body, "mallory", TYPE)
        assert answer.status != 500, answer.text[:300]
        if answer.status == 200:
            # Taken for a program, it may only have failed.
            assert answer.json["success"] is False, f"it ran: {answer.text[:200]}"
        else:
            one_of(answer.status, (400, 422), "the status")
            one_of(answer.code, ("invalid_json", "invalid_request"), "the word")
        assert len(answer.body) < 20_000, f"the error has {len(answer.body)} bytes"

    return attempt


for name, body in BROKEN.items():
    add(KIND, f"a request with {name} runs nothing", broken(name, body))


@case(KIND, "keys that are there twice do not let a request mean two things")
def doubled(world):
    body = b'{"code": "return \'first\'", "code": "return \'second\'"}'
    answer = world.main.ask("POST", "/execute", body, "mallory", TYPE)
    if answer.status == 200:
        record = world.main.ask("GET", f"/api/v1/runs/{answer.json['run_id']}", who="mallory").text
        ran = answer.json["return_value"]
        same(ran, "second", "what ran: the last, as everywhere in JSON")
        assert f"return '{ran}'" in record and "return 'first'" not in record, (
            f"{ran} ran, and this is kept: {record[:600]}"
        )
    else:
        same(answer.status, 400, "the status")


@case(KIND, "a session named twice is never another owner's")
def doubled_session(world):
    own = world.main.execute("return 1", "mallory").session
    for first, second in ((own, world.session), (world.session, own)):
        body = json.dumps({"code": "return 'x'"})[:-1] + f', "session": "{first}", "session": "{second}"}}'
        answer = world.main.ask("POST", "/execute", body.encode(), "mallory", TYPE)
        if answer.status == 200:
            same(answer.json["session"], own, "the session")


@case(KIND, "a body larger than is allowed is refused before it is read")
def large(world):
    answer = world.tight.ask("POST", "/execute", b'{"code": "' + b"#" * 100_000 + b'"}', "mallory", TYPE)
    same((answer.status, answer.code), (413, "too_large"), "the answer")
    same(world.tight.ask("POST", "/api/v1/analysis", bytes(100_000), "mallory", TYPE).status, 413, "the status of an analysis")


@case(KIND, "an import that says it is larger than any may be is refused before it is read")
def large_import(world):
    for path in ("/api/v1/sessions/import", "/api/v1/runs/import"):
        head = (
            f"POST {path} HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {world.tight.tokens['mallory']}\r\n"
            f"Content-Type: application/octet-stream\r\nContent-Length: {1 << 40}\r\nConnection: close\r\n\r\n"
        ).encode()
        one_of(world.tight.raw(head)[:12], (b"HTTP/1.1 413",), f"the answer of {path}")


@case(KIND, "a body in chunks that is larger than is allowed is refused, too")
def chunks(world):
    head = (
        f"POST /execute HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer {world.tight.tokens['mallory']}\r\n"
        "Content-Type: application/json\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
    ).encode()
    chunk = b"8000\r\n" + b"#" * 0x8000 + b"\r\n"
    answer = world.tight.raw(head + chunk * 8 + b"0\r\n\r\n")
    one_of(answer[:12], (b"HTTP/1.1 413", b""), "the answer")


@case(KIND, "over MCP, a message larger than is allowed is refused")
def large_message(world):
    message = (
        b'{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"x","arguments":{"a":"'
        + b"a" * (17 << 20)
        + b'"}}}'
    )
    answer = world.main.post(message, "mallory", world.main.session("mallory"))
    same(answer.status, 413, "the status")


VALUES = {
    "NaN": "float('nan')",
    "infinity": "[float('inf'), -float('inf')]",
    "half a letter": "'a\\ud800b'",
    "a zero": "'a\\x00b'",
    "letters of another direction": "'\\u202eabc\\u2066'",
    "a number of a hundred thousand digits": "10 ** 100_000",
    "keys that are no texts": "{(1, 2): 3, None: 4, 1.5: 5}",
    "bytes": "bytes(range(256))",
    "control letters": "'\\x1b[2J\\x07'",
    "itself": "(lambda x: (x.append(x), x)[1])([])",
    "five hundred levels": "__import__('functools').reduce(lambda a, _: [a], range(500), 1)",
    "a dict that lies": "type('D', (dict,), {'keys': lambda s: ['a'] * 10, '__getitem__': lambda s, k: 1})(b=2)",
    "an object whose repr fails": "type('R', (), {'__repr__': lambda s: 1 / 0})()",
    "an emoji of many letters": "'\\U0001F468\\u200d' * 1000",
}


def value(code, door):
    def attempt(world):
        done = world.main.execute(f"return {code}", "mallory", door)
        json.loads(done.raw, parse_constant=lambda word: (_ for _ in ()).throw(AssertionError(f"{word} is no JSON")))
        assert done.success is True or done.error, done.raw[:300]
        for letter in ("\x1b", "\x07", "\x00"):
            lacks(done.raw, letter, "the answer")
        assert len(done.raw) < 300_000, f"the answer has {len(done.raw)} bytes"

    return attempt


for name, code in VALUES.items():
    for door in ("REST", "MCP"):
        add(KIND, f"over {door}, a value of {name} is an answer that is JSON", value(code, door))


@case(KIND, "half a letter and control letters in context, names of sessions and queries break nothing")
def letters(world):
    for body in (
        b'{"code": "return len(x)", "context": {"x": "\\ud800"}}',
        b'{"code": "return 1", "session": "\\ud800"}',
        b'{"code": "return x", "context": {"x": "\\u0000\\u202e\\u001b[2J"}}',
    ):
        answer = world.main.ask("POST", "/execute", body, "mallory", TYPE)
        one_of(answer.status, (200, 400, 404), "the status")
        lacks(answer.body, b"\x1b", "the answer")
    for query in ("%00", "%ff", "%E2%80%AE", "%F0%9F%92%A3" * 500, "'", "%25", "(" * 200, "a" * 5000):
        answer = world.main.ask("GET", f"/api/v1/mcp/tools/search?query={query}", who="mallory")
        one_of(answer.status, (200, 400), f"the status for {query[:10]}")


@case(KIND, "a context that replaces builtins is the program's own affair")
def builtins(world):
    world.main.execute("return 1", "mallory", context={"print": 1, "open": 2, "call_mcp_tool": 3})
    done = world.main.execute("return [callable(print), callable(open), callable(call_mcp_tool)]", "mallory")
    same(done.value, [True, True, True], "the next session's builtins")
