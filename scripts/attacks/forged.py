"""Ids that somebody made up or changed: sessions, runs, artifacts, tasks, approvals and sessions of the protocol."""

import secrets

from gateway import hello
from suite import add, case, lacks, one_of, same

KIND = "forged ids"

WRONG = {
    "made up": "{p}_" + "0" * 32,
    "too short": "{p}_12",
    "too long": "{p}_" + "0" * 64,
    "in capitals": "{P}_" + "0" * 32,
    "of another kind": "x_" + "0" * 32,
    "with a query of a database": "{p}_'%20OR%20'1'='1",
    "with a wildcard": "{p}_%25",
    "with a path": "..%2f{p}_" + "0" * 32,
    "with a zero": "{p}_" + "0" * 31 + "%00",
    "empty": "%20",
    "a star": "*",
    "of letters that look like digits": "{p}_" + "%EF%BC%90" * 32,
}
SESSION = [
    ("GET", ""),
    ("DELETE", ""),
    ("POST", "/fork"),
    ("POST", "/freeze"),
    ("GET", "/export"),
    ("GET", "/files"),
    ("GET", "/files/diary.txt"),
    ("PUT", "/files/x"),
    ("DELETE", "/files/diary.txt"),
]
RUN = [
    ("GET", ""),
    ("GET", "/events"),
    ("GET", "/result"),
    ("POST", "/cancel"),
    ("POST", "/export"),
    ("GET", "/artifacts/x.png"),
]


def refused(kind, letter, routes, how):
    def attempt(world):
        name = WRONG[how].format(p=letter, P=letter.upper())
        for method, rest in routes:
            body = b"x" if method == "PUT" else None
            answer = world.main.ask(method, f"/api/v1/{kind}/{name}{rest}", body, "mallory")
            one_of(answer.status, (400, 404), f"the status of {method} {rest}")
            assert answer.code, f"no word for it: {answer.text[:200]}"
            lacks(answer.text.lower(), "sql", "the answer")

    return attempt


for how in WRONG:
    add(KIND, f"an id of a session that is {how} finds nothing on any route", refused("sessions", "s", SESSION, how))
    add(KIND, f"an id of a run that is {how} finds nothing on any route", refused("runs", "r", RUN, how))


@case(KIND, "a program cannot go on in a session that somebody made up")
def execute(world):
    for name in ("s_" + "0" * 32, "../x", "", "S_" + "0" * 32, "s_" + "0" * 32 + "\x00", 5, {}, ["x"]):
        answer = world.main.ask("POST", "/execute", {"code": "return 1", "session": name}, "mallory")
        one_of(answer.status, (400, 404, 410), f"the status for {name!r}")
        if name and isinstance(name, str):
            done = world.main.execute("return 1", "mallory", "MCP", session=name)
            assert done.success is False, f"{name!r} was taken over MCP"


@case(KIND, "a run cannot be resumed from one that somebody made up")
def resume(world):
    for name in ("r_" + "0" * 32, "../x", "r_", world.session):
        answer = world.main.ask("POST", "/execute", {"code": "return 1", "resume_from": name}, "mallory")
        one_of(answer.status, (400, 404, 409), f"the status for {name!r}")


@case(KIND, "a task that somebody made up is not there to be asked for, answered or ended")
def tasks(world):
    for name in ("r_" + "0" * 32, "1", "", "../x", "r_' OR 1=1"):
        for method, more in (("tasks/get", {}), ("tasks/cancel", {}), ("tasks/update", {"inputResponses": {}})):
            told = world.main.modern(method, {"taskId": name, **more}, "mallory", name=name or "x")
            assert "error" in told, f"{method} of {name!r}: {told}"


@case(KIND, "an approval of a run that somebody made up answers nothing")
def approvals(world):
    for name in ("r_" + "0" * 32, "r_1", "*", "%2e%2e", world.session):
        answer = world.main.ask("POST", f"/api/v1/approvals/{name}", {"decision": "approve"}, "boss")
        one_of(answer.status, (400, 404), f"the status for {name!r}")


@case(KIND, "an MCP session that somebody made up is not there")
def sessions(world):
    good = world.main.session("mallory")["Mcp-Session-Id"]
    plain, seal = good.rsplit(".", 1)
    changed = seal[:-1] + ("0" if seal[-1] != "0" else "1")
    for name in (
        secrets.token_hex(16),
        plain,
        f"{plain}.",
        f"{plain}.{changed}",
        f"{plain}.{'0' * 32}",
        f"x.{seal}",
        ".",
        good + "x",
    ):
        message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
        answer = world.main.post(message, "mallory", {"Mcp-Session-Id": name})
        same(answer.status, 404, f"the status for {name[:20]!r}")
        ended = world.main.ask("DELETE", "/mcp", who="mallory", headers={"Mcp-Session-Id": name})
        same(ended.status, 404, "the status of an end")


@case(KIND, "an MCP session of one owner is not there for another")
def stolen(world):
    name = world.main.session("victim")["Mcp-Session-Id"]
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": {}}
    for who in ("mallory", "admin", None):
        same(world.main.post(message, who, {"Mcp-Session-Id": name}).status, 404, f"the status for {who}")
        same(world.main.ask("DELETE", "/mcp", who=who, headers={"Mcp-Session-Id": name}).status, 404, "an end")
        listened = world.main.ask(
            "GET", "/mcp", who=who, headers={"Mcp-Session-Id": name, "Accept": "text/event-stream"}
        )
        same(listened.status, 404, "listening")
    same(
        world.main.post(message, "victim", {"Mcp-Session-Id": name, "MCP-Protocol-Version": "2025-06-18"}).status, 200
    )


@case(KIND, "the names of MCP sessions do not repeat and cannot be counted up")
def guessed(world):
    names = {world.main.post(hello(), "mallory").headers["mcp-session-id"] for _ in range(5)}
    same(len(names), 5, "the number of names")
    assert all(len(name) > 60 for name in names), names


@case(KIND, "ids of sessions and runs do not repeat and cannot be counted up")
def ids(world):
    made = [world.main.execute("return 1", "mallory") for _ in range(5)]
    names = {one.session for one in made} | {one.run for one in made}
    same(len(names), 10, "the number of names")
    assert all(len(name) == 34 for name in names), names


@case(KIND, "an exported session with a changed byte is refused")
def image(world):
    session = world.main.execute("x = 1\nreturn x", "mallory").session
    image = world.main.ask("GET", f"/api/v1/sessions/{session}/export", who="mallory").body
    for at in (0, 10, len(image) // 2, len(image) - 1):
        changed = bytearray(image)
        changed[at] ^= 0x41
        answer = world.main.ask("POST", "/api/v1/sessions/import", bytes(changed), "mallory")
        one_of((answer.status, answer.code), ((409, "not_movable"), (410, "session_unusable")), f"a change at {at}")


FILES = {
    "nothing": b"",
    "a word": b"garbage",
    "zeros": bytes(100_000),
    "JSON": b'{"session": "s"}',
    "a zip": b"PK\x03\x04" + bytes(100),
}


@case(KIND, "what is no session and no run is not imported as one")
def imports(world):
    for name, content in FILES.items():
        for path in ("/api/v1/sessions/import", "/api/v1/runs/import", "/api/v1/runs/import?again=true"):
            answer = world.main.ask("POST", path, content, "mallory")
            one_of(answer.status, (400, 409), f"{name} at {path}")


@case(KIND, "a session that is cut short is refused")
def short(world):
    session = world.main.execute("x = 1\nreturn x", "mallory").session
    image = world.main.ask("GET", f"/api/v1/sessions/{session}/export", who="mallory").body
    for length in (1, 8, 100, len(image) // 2, len(image) - 1):
        answer = world.main.ask("POST", "/api/v1/sessions/import", image[:length], "mallory")
        one_of(answer.status, (409, 410), f"the status with {length} bytes")


@case(KIND, "a forged place in a stream of events gives nothing that was not there")
def events(world):
    run = world.main.execute("print('x')\nreturn 1", "mallory").run
    for last in ("-1", "99999999999999999999", "x", "0 0", "' OR 1"):
        answer = world.main.ask("GET", f"/api/v1/runs/{run}/events", who="mallory", headers={"Last-Event-ID": last})
        same(answer.status, 200, "the status")
        same(answer.text.count("event: end"), 1, "the number of ends")
