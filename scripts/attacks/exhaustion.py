"""Programs and clients that try to use up what there is: memory, time, output, files, calls, sessions, turns."""

import json
import threading
import time

from suite import add, case, lacks, one_of, same

KIND = "exhaustion"

# What is used up, the program, and how it has to end: the error's types, or the limit that is named.
BOMBS = {
    "a loop that does nothing": ("while True: pass", {"LimitExceeded"}),
    "a regular expression that backtracks": ("import re\nre.match(r'(a+)+$', 'a' * 40 + 'b')", {"LimitExceeded"}),
    "a power of powers": ("return len(str(9 ** 9 ** 9))", {"LimitExceeded", "MemoryError", "OverflowError"}),
    "a factorial": ("import math\nreturn math.factorial(10 ** 8) % 7", {"LimitExceeded", "MemoryError"}),
    "a long sum in C": ("return sum(range(10 ** 12))", {"LimitExceeded"}),
    "a sleep in C": ("import time\ntime.sleep(10 ** 6)", {"LimitExceeded"}),
    "a wait for nothing": ("import asyncio\nawait asyncio.Event().wait()", {"LimitExceeded", "Deadlock"}),
    "tasks that breed": (
        "import asyncio\nasync def breed():\n    while True:\n        asyncio.create_task(breed())\n"
        "        await asyncio.sleep(0)\nawait breed()",
        {"LimitExceeded", "MemoryError"},
    ),
    "an except that catches everything for ever": (
        "while True:\n    try:\n        while True: pass\n    except BaseException: pass",
        {"LimitExceeded"},
    ),
    "a list that doubles": ("x = [0]\nwhile True: x += x", {"MemoryError", "LimitExceeded"}),
    "a list of an impossible size": ("[0] * (1 << 62)", {"MemoryError", "OverflowError"}),
    "an array of an impossible size": ("import numpy as np\nnp.ones(1 << 40)", {"MemoryError", "ValueError"}),
    "a number formatted a trillion letters wide": (
        "'%0999999999999d' % 1",
        {"MemoryError", "OverflowError", "ValueError"},
    ),
    "compressed zeros, unpacked": (
        "import zlib\nbomb = zlib.compress(bytes(32 << 20), 9)\nx = [zlib.decompress(bomb) for _ in range(400)]",
        {"MemoryError", "LimitExceeded"},
    ),
    "a zip bomb in the workspace": (
        "import zipfile\nwith zipfile.ZipFile('/workspace/b.zip', 'w', zipfile.ZIP_DEFLATED) as z:\n"
        "    z.writestr('big', bytes(24 << 20))\n"
        "while True: zipfile.ZipFile('/workspace/b.zip').extractall('/workspace/out')",
        {"OSError", "LimitExceeded", "MemoryError"},
    ),
    "recursion without end": ("def f(): return f()\nf()", {"RecursionError"}),
    "recursion with the limit raised": (
        "import sys\nsys.setrecursionlimit(10 ** 9)\ndef f(n): return f(n + 1) + 1\nf(0)",
        {"RecursionError", "Crashed", "MemoryError", "LimitExceeded"},
    ),
    "JSON nested two million deep": (
        "import json\njson.loads('[' * 2_000_000)",
        {"RecursionError", "MemoryError", "Crashed"},
    ),
    "a program of brackets": ("exec('(' * 100_000)", {"SyntaxError", "MemoryError", "RecursionError", "Crashed"}),
    "output without end": ("while True: print('A' * 1000)", {"LimitExceeded"}),
    "errors without end": ("import os\nwhile True: os.write(2, b'E' * 60000)", {"LimitExceeded"}),
    "an exception with a message of 100 MiB": (
        "raise Exception('D' * (100 << 20))",
        {"Exception", "MemoryError", "LimitExceeded"},
    ),
    "one file larger than a file may be": (
        "with open('/workspace/f', 'wb') as f:\n    for _ in range(40): f.write(bytes(1 << 20))",
        {"OSError"},
    ),
    "a sparse file of a terabyte": ("with open('/workspace/f', 'wb') as f: f.truncate(1 << 40)", {"OSError"}),
    "a hole made by seeking": (
        "with open('/workspace/f', 'wb') as f:\n    f.seek(1 << 39)\n    f.write(b'x')",
        {"OSError", "OverflowError"},
    ),
    "more bytes of files than may be": (
        "for i in range(40):\n    with open(f'/workspace/{i}', 'wb') as f: f.write(bytes(9 << 20))",
        {"OSError", "MemoryError"},
    ),
    "more files than may be": ("for i in range(5000): open(f'/workspace/{i}', 'w').close()", {"OSError"}),
    "folders without end": (
        "import os\npath = '/workspace'\nfor i in range(5000):\n    path += '/d'\n    os.mkdir(path)",
        {"OSError"},
    ),
    "descriptors without end": ("files = [open('/workspace/f', 'a') for _ in range(500)]", {"OSError"}),
    "calls without end": ("from servers.honest import echo\nwhile True: await echo(a=1)", {"LimitExceeded"}),
    "calls all at once": (
        "import asyncio\nfrom servers.honest import echo\nawait asyncio.gather(*(echo(a=i) for i in range(5000)))",
        {"LimitExceeded"},
    ),
    "a call with an argument of 20 MiB": (
        "from servers.honest import echo\nawait echo(a='x' * (20 << 20))",
        {"LimitExceeded", "ArgumentError"},
    ),
    "a value that iterates without end": (
        "class J(dict):\n    def items(self):\n        while True: yield 'k', 'v' * 1000\n"
        "    def __len__(self): return -1\n"
        "    def __iter__(self): raise SystemExit\nreturn J()",
        None,
    ),
    "a value that contains itself a million times over": ("x = []\nfor _ in range(60): x = [x, x]\nreturn x", None),
}
# What need not be tried twice to be believed, and takes its time.
SLOW = {
    "a factorial",
    "a sleep in C",
    "an except that catches everything for ever",
    "a long sum in C",
    "calls without end",
    "tasks that breed",
    "compressed zeros, unpacked",
    "a zip bomb in the workspace",
    "recursion with the limit raised",
    "a power of powers",
    "a regular expression that backtracks",
    "a value that iterates without end",
}


def bomb(code, ends, door):
    def attempt(world):
        began, before = time.monotonic(), world.main.resident()
        done = world.main.execute(
            code, "mallory", door, timeout=1 if "call" not in code and "echo" not in code else 5
        )
        took = time.monotonic() - began
        assert took < 25, f"it took {took:.0f} s"
        assert len(done.raw) < 3 << 20, f"the answer has {len(done.raw)} bytes"
        if ends is None:
            # Described, or failed: never the whole of it.
            assert len(done.raw) < 256 << 10
        else:
            assert done.success is False, f"it is said to have succeeded: {done.raw[:300]}"
            # On a busy machine any of them may meet its time limit first.
            one_of(done.kind, {*ends, "LimitExceeded"}, "the error's type")
        grown = world.main.resident() - before
        # What a session may have in memory and in files, and a little.
        assert grown < 450 << 20, f"the gateway grew by {grown >> 20} MiB"

    return attempt


for name, (code, ends) in BOMBS.items():
    for door in ("REST", "MCP"):
        if door == "REST" or name not in SLOW:
            add(KIND, f"over {door}, {name}: the run is stopped at its limit", bomb(code, ends, door))


@case(KIND, "a run that was stopped leaves its session as it was before")
def rolled_back(world):
    session = world.main.execute("kept = 1\nreturn kept", "mallory").session
    world.main.execute(
        "kept = 2\nopen('/workspace/half', 'w').write('x')\nwhile True: pass", "mallory", session=session, timeout=1
    )
    done = world.main.execute("import os\nreturn [kept, os.listdir('/workspace')]", "mallory", session=session)
    same(done.value, [1, []], "the session")


@case(KIND, "a caller cannot ask for more time than there is, nor for none")
def timeouts(world):
    for timeout in (-1, 0, 1e308, "1", [], True):
        answer = world.main.ask("POST", "/execute", {"code": "return 1", "timeout": timeout}, "mallory")
        if answer.status == 200 and timeout == 1e308:
            continue  # Capped at what the operator allows; that it is, is for the next case.
        same(answer.status, 400, f"the answer to a timeout of {timeout!r}")


@case(KIND, "output tokens beyond every measure do not make an answer larger than its limit")
def tokens(world):
    answer = world.main.ask(
        "POST",
        "/execute",
        {
            "code": "return ['x' * 1000 for _ in range(100_000)]",
            "max_output_tokens": 10**15,
            "output_strategy": "none",
        },
        "mallory",
    )
    assert answer.status in (200, 400), answer.status
    assert len(answer.body) < 40 << 20, f"the answer has {len(answer.body)} bytes"


@case(KIND, "one owner's sessions have a quota, and another owner's requests go on")
def sessions(world):
    made = [world.tight.ask("POST", "/api/v1/sessions", {}, "mallory") for _ in range(9)]
    statuses = [one.status for one in made]
    same(statuses.count(201), 6, f"the number of sessions that were made, of {statuses}")
    same({one.code for one in made if one.status != 201}, {"quota_exceeded"}, "the refusals")
    same(world.tight.execute("return 1", "victim").value, 1, "another owner's value")
    for one in made:
        if one.status == 201:
            name = one.json["id"]
            same(world.tight.ask("DELETE", f"/api/v1/sessions/{name}", who="mallory").status, 204)


@case(KIND, "one owner's flood of requests waits in line or is refused, and another owner is served meanwhile")
def turns(world):
    answers = []

    def ask():
        answers.append(world.tight.ask("POST", "/execute", {"code": "while True: pass", "timeout": 1.5}, "mallory"))

    threads = [threading.Thread(target=ask) for _ in range(12)]
    for one in threads:
        one.start()
    time.sleep(0.5)
    began = time.monotonic()
    other = world.tight.execute("return 'served'", "victim")
    waited = time.monotonic() - began
    for one in threads:
        one.join(60)
    statuses = sorted(one.status for one in answers)
    same(len(statuses), 12, "the number of answers")
    same(set(statuses), {200, 429}, "the statuses")
    assert all("retry-after" in one.headers for one in answers if one.status == 429), "no Retry-After"
    same(other.value, "served", "the other owner's value")
    assert waited < 10, f"the other owner waited {waited:.1f} s"


@case(KIND, "runs that nobody waits for are bounded like those that somebody waits for")
def detached(world):
    made = [
        world.tight.ask("POST", "/execute?async=true", {"code": "while True: pass", "timeout": 1}, "mallory")
        for _ in range(10)
    ]
    statuses = [one.status for one in made]
    assert statuses.count(202) <= 4 and 429 in statuses, statuses
    for one in made:
        if one.status == 202:
            world.tight.ask("POST", one.json["links"]["cancel"], who="mallory")


@case(KIND, "two hundred connections that say nothing do not keep others out")
def silent(world):
    import socket

    silent = [socket.create_connection(("127.0.0.1", world.main.port), timeout=5) for _ in range(200)]
    try:
        for one in silent[:100]:
            one.sendall(b"POST /execute HTTP/1.1\r\nHost: localhost\r\nContent-Length: 1000\r\n\r\n{")
        same(world.main.execute("return 1", "mallory").value, 1, "the value meanwhile")
    finally:
        for one in silent:
            one.close()


@case(KIND, "MCP sessions without number do not keep others out")
def many_sessions(world):
    from gateway import hello

    before = world.main.resident()
    for _ in range(150):
        same(world.main.post(hello(), "mallory").status, 200)
    grown = world.main.resident() - before
    assert grown < 150 << 20, f"it grew by {grown >> 20} MiB"
    same(world.main.execute("return 1", "mallory", "MCP").value, 1, "the value afterwards")


@case(KIND, "a stream that nobody reads does not hold the gateway up, and hanging up ends its program")
def unread(world):
    import socket

    body = json.dumps({"code": "while True: print('x' * 500)", "timeout": 20}).encode()
    head = (
        f"POST /execute?stream=true HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
        f"Authorization: Bearer {world.main.tokens['mallory']}\r\nContent-Length: {len(body)}\r\n\r\n"
    ).encode()
    with socket.create_connection(("127.0.0.1", world.main.port), timeout=5) as one:
        one.sendall(head + body)
        time.sleep(0.5)
        same(world.main.execute("return 1", "mallory").value, 1, "the value meanwhile")


@case(KIND, "a run's pages cannot be asked for in sizes beyond every measure")
def pages(world):
    run = world.main.execute("return list(range(1000))", "mallory").run
    for query in ("limit=99999999999999999999", "limit=-1", "offset=-1", "limit=0", "offset=1e9", "limit=1000001"):
        answer = world.main.ask("GET", f"/api/v1/runs/{run}/result?{query}", who="mallory")
        same(answer.status, 400, f"the answer to {query}")
        lacks(answer.text, "panicked", "the answer")


@case(KIND, "a program of many megabytes is refused before it is run")
def long_program(world):
    answer = world.main.ask("POST", "/execute", {"code": "#" * (2 << 20) + "\nreturn 1"}, "mallory")
    one_of(answer.status, (413, 422), "the status")
