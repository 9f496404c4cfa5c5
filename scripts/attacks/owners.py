"""One owner reaches for what is another's, and tokens reach for what their scopes do not allow, on every route."""

from suite import add, case, lacks, one_of, same
from world import until

KIND_OWNERS = "cross-owner access"
KIND_SCOPES = "missing scopes"
KIND_TOKENS = "token guessing"

# The method, the path, a body, and what it is; `{s}` and `{r}` are the victim's session and run.
ROUTES = [
    ("GET", "/api/v1/sessions/{s}", None, "looks at a session"),
    ("DELETE", "/api/v1/sessions/{s}", None, "removes a session"),
    ("POST", "/api/v1/sessions/{s}/fork", None, "forks a session"),
    ("POST", "/api/v1/sessions/{s}/freeze", None, "freezes a session"),
    ("GET", "/api/v1/sessions/{s}/export", None, "exports a session"),
    ("GET", "/api/v1/sessions/{s}/files", None, "lists a session's files"),
    ("GET", "/api/v1/sessions/{s}/files/diary.txt", None, "reads a file"),
    ("PUT", "/api/v1/sessions/{s}/files/diary.txt", b"changed", "changes a file"),
    ("DELETE", "/api/v1/sessions/{s}/files/diary.txt", None, "removes a file"),
    ("POST", "/execute", {"code": "return secret", "session": "{s}"}, "runs a program in a session"),
    (
        "POST",
        "/api/v1/execute",
        {"code": "return secret", "session": "{s}"},
        "runs a program in a session by the other name",
    ),
    ("POST", "/execute?async=true", {"code": "return secret", "session": "{s}"}, "starts a program in a session"),
    ("POST", "/execute?stream=true", {"code": "return secret", "session": "{s}"}, "follows a program in a session"),
    ("POST", "/api/v1/analysis", {"analysis_type": "describe", "data": {"result": "{r}"}}, "analyses a run's result"),
    (
        "POST",
        "/api/v1/analysis",
        {"analysis_type": "describe", "data": {"file": "/workspace/diary.txt"}, "session": "{s}"},
        "analyses a session's file",
    ),
    ("GET", "/api/v1/runs/{r}", None, "looks at a run"),
    ("GET", "/api/v1/runs/{r}/events", None, "follows a run"),
    ("GET", "/api/v1/runs/{r}/result", None, "reads a result"),
    ("GET", "/api/v1/runs/{r}/result?of=stdout", None, "reads what was printed"),
    ("POST", "/api/v1/runs/{r}/cancel", None, "cancels a run"),
    ("POST", "/api/v1/runs/{w}/cancel", None, "cancels a run that waits"),
    ("POST", "/api/v1/runs/{w}/export", None, "takes a run away"),
    ("GET", "/api/v1/runs/{r}/artifacts/{a}", None, "reads an artifact"),
]


def filled(world, value):
    """With the victim's ids in it."""
    if isinstance(value, str):
        return (
            value.replace("{s}", world.session)
            .replace("{r}", world.run)
            .replace("{w}", world.waiting)
            .replace("{a}", world.artifact)
        )
    return {key: filled(world, one) for key, one in value.items()} if isinstance(value, dict) else value


def route(method, path, body, who):
    def attempt(world):
        answer = world.main.ask(method, filled(world, path), filled(world, body), who)
        if answer.status == 200 and path.endswith("analysis"):
            assert answer.json["success"] is False, answer.text[:300]
        else:
            one_of(answer.status, (403, 404) if who is not None else (401, 403, 404), "the status")
        mine = world.main.ask("GET", f"/api/v1/sessions/{world.session}/files/diary.txt", who="victim")
        same(mine.body.decode(), world.victim_token, "the victim's file")

    return attempt


for method, path, body, what in ROUTES:
    add(KIND_OWNERS, f"another owner {what} and finds nothing", route(method, path, body, "mallory"))


@case(KIND_OWNERS, "somebody without a token on this machine finds nothing of those who have one")
def without(world):
    for method, path, body, _ in ROUTES:
        answer = world.main.ask(method, filled(world, path), filled(world, body))
        if answer.status == 200 and path.endswith("analysis"):
            assert answer.json["success"] is False
        else:
            one_of(answer.status, (401, 403, 404), f"the status of {method} {path}")


@case(KIND_OWNERS, "lists of sessions, runs, approvals and figures have nothing of others")
def lists(world):
    for path in (
        "/api/v1/sessions",
        "/api/v1/runs",
        "/api/v1/runs?limit=200",
        "/api/v1/approvals",
        "/api/v1/stats",
        f"/api/v1/runs?session={world.session}",
        f"/api/v1/approvals?run={world.waiting}",
        f"/api/v1/stats?session={world.session}",
    ):
        answer = world.main.ask("GET", path, who="mallory")
        one_of(answer.status, (200, 404), f"the status of {path}")
        lacks(answer.text, '"owner":"victim"', f"the answer of {path}")
        told = answer.json
        for one in told.get("sessions", []) + told.get("runs", []) + told.get("approvals", []):
            same(one["owner"], "mallory", f"whose the entries of {path} are")
            assert one.get("run_id") not in (world.run, world.waiting), "a run of the victim's"
            assert (one.get("id") or one.get("session")) != world.session, "the victim's session"


@case(KIND_OWNERS, "metrics do not tell who does what")
def metrics(world):
    answer = world.main.ask("GET", "/metrics", who="mallory")
    same(answer.status, 200)
    for word in (world.session, world.run, "victim"):
        lacks(answer.text, word, "the metrics")


@case(KIND_OWNERS, "over MCP, another owner's session, runs, resources and tasks are not there")
def over_mcp(world):
    done = world.main.execute("return secret", "mallory", "MCP", session=world.session)
    assert done.success is False
    for uri in (
        f"tidegate://runs/{world.run}/result",
        f"tidegate://runs/{world.run}/stdout",
        f"tidegate://runs/{world.run}/artifacts/{world.artifact}",
    ):
        assert "error" in world.main.rpc("resources/read", {"uri": uri}, "mallory"), uri
    lacks(str(world.main.rpc("resources/list", {}, "mallory")), world.run, "the resources")
    for method, more in (("tasks/get", {}), ("tasks/cancel", {}), ("tasks/update", {"inputResponses": {}})):
        told = world.main.modern(method, {"taskId": world.waiting, **more}, "mallory")
        assert "error" in told, f"{method}: {told}"


@case(
    KIND_OWNERS, "another owner's run that failed cannot be gone on from, in the same words as one that is not there"
)
def resumed(world):
    import re

    run = world.tight.execute(f"1 / 0  # {world.victim_token}", "victim").run
    blank = re.compile(r"r_[0-9a-f]{32}")
    for door in ("REST", "MCP"):
        found = []
        for name in (run, "r_" + "0" * 32):
            given = {"code": "return 1", "resume_from": name}
            if door == "REST":
                answer = world.tight.ask("POST", "/execute", given, "mallory")
                one_of(answer.status, (404, 409), "the status")
                found.append(blank.sub("", answer.text))
            else:
                told = world.tight.tool("execute_python", given, "mallory")["result"]
                assert told["isError"], told
                found.append(blank.sub("", str(told)))
        same(found[0], found[1], "the answer")


@case(KIND_OWNERS, "over MCP, an admin cannot end another owner's run")
def admin_cancels(world):
    run = world.main.ask(
        "POST", "/execute?async=true", {"code": "import asyncio\nawait asyncio.sleep(20)\nreturn 1"}, "victim"
    ).json["run_id"]
    world.main.modern("tasks/cancel", {"taskId": run}, "admin")
    state = world.main.ask("GET", f"/api/v1/runs/{run}", who="victim").json["status"]
    world.main.ask("POST", f"/api/v1/runs/{run}/cancel", who="victim")
    assert state != "cancelled", "it was cancelled; REST refuses that with scope_missing"


@case(KIND_OWNERS, "an admin reads everybody's runs, and neither files nor programs of others can be had with it")
def admin(world):
    for path in (
        f"/api/v1/sessions/{world.session}/files/diary.txt",
        f"/api/v1/sessions/{world.session}/files",
        f"/api/v1/sessions/{world.session}/export",
    ):
        one_of(world.main.ask("GET", path, who="admin").status, (403, 404), f"the status of {path}")
    for method, path in (
        ("DELETE", f"/api/v1/sessions/{world.session}"),
        ("POST", f"/api/v1/runs/{world.waiting}/cancel"),
        ("POST", f"/api/v1/sessions/{world.session}/fork"),
        ("POST", f"/api/v1/runs/{world.waiting}/export"),
    ):
        one_of(world.main.ask(method, path, who="admin").status, (403, 404), f"the status of {method} {path}")


@case(KIND_OWNERS, "a refusal for what is another's is the same as for what is not there")
def same_words(world):
    import re

    for kind, name in (("sessions", world.session), ("runs", world.run)):
        there = world.main.ask("GET", f"/api/v1/{kind}/{name}", who="mallory")
        nowhere = world.main.ask("GET", f"/api/v1/{kind}/{name[:2]}{'0' * 32}", who="mallory")
        same(there.status, nowhere.status, "the status")
        blank = re.compile(r"[rs]_[0-9a-f]{32}")
        same(blank.sub("", there.text), blank.sub("", nowhere.text), "the answer")


# What each route needs: any of these scopes.
NEEDS = [
    ("POST", "/execute", {"code": "return 1"}, {"execute"}),
    ("POST", "/api/v1/execute", {"code": "return 1"}, {"execute"}),
    ("POST", "/execute?async=true", {"code": "return 1"}, {"execute"}),
    ("POST", "/execute?stream=true", {"code": "return 1"}, {"execute"}),
    ("POST", "/api/v1/analysis", {"analysis_type": "describe", "data": [{"a": 1}]}, {"execute"}),
    ("POST", "/api/v1/validate", {"code": "1"}, {"execute", "read"}),
    ("POST", "/api/v1/sessions", {}, {"execute"}),
    ("POST", "/api/v1/sessions/import", b"x", {"execute"}),
    ("POST", "/api/v1/runs/import", b"x", {"execute"}),
    ("GET", "/api/v1/sessions", None, {"execute", "read"}),
    ("GET", "/api/v1/runs", None, {"execute", "read"}),
    ("GET", "/api/v1/approvals", None, {"execute", "read"}),
    ("GET", "/api/v1/stats", None, {"execute", "read"}),
    ("GET", "/api/v1/tools", None, {"execute", "read"}),
    ("GET", "/api/v1/tools/honest/echo", None, {"execute", "read"}),
    ("GET", "/api/v1/mcp/tools/search?query=echo", None, {"execute", "read"}),
    ("GET", "/api/v1/servers", None, {"read"}),
    ("POST", "/api/v1/servers", {"name": "x", "command": "true"}, {"admin"}),
    ("DELETE", "/api/v1/servers/honest", None, {"admin"}),
    ("GET", "/api/v1/security/report", None, {"admin"}),
    ("GET", "/metrics", None, {"read"}),
    ("POST", "/api/v1/approvals/r_" + "0" * 32, {"decision": "approve"}, {"approve"}),
    ("GET", "/api/v1/sessions/{o}", None, {"execute", "read"}),
    ("DELETE", "/api/v1/sessions/{o}", None, {"execute"}),
    ("POST", "/api/v1/sessions/{o}/fork", None, {"execute"}),
    ("POST", "/api/v1/sessions/{o}/freeze", None, {"execute"}),
    ("GET", "/api/v1/sessions/{o}/export", None, {"execute"}),
    ("GET", "/api/v1/sessions/{o}/files", None, {"execute", "read"}),
    ("PUT", "/api/v1/sessions/{o}/files/x", b"x", {"execute"}),
    ("DELETE", "/api/v1/sessions/{o}/files/x", None, {"execute"}),
    ("GET", "/api/v1/runs/{p}", None, {"execute", "read"}),
    ("GET", "/api/v1/runs/{p}/events", None, {"execute", "read"}),
    ("GET", "/api/v1/runs/{p}/result", None, {"execute", "read"}),
    ("POST", "/api/v1/runs/{p}/cancel", None, {"execute"}),
    ("POST", "/api/v1/runs/{p}/export", None, {"execute"}),
]
HELD = {"reader": {"read"}, "runner": {"execute"}, "approver": {"approve"}, "admin": {"admin", "read"}}


def needs(method, path, body, scopes):
    def attempt(world):
        at = path
        if "{" in path:
            own = world.main.execute("return 1", "mallory")
            at = path.replace("{o}", own.session).replace("{p}", own.run)
        for who, held in HELD.items():
            if held & scopes:
                continue
            answer = world.main.ask(method, at, body, who)
            same((answer.status, answer.code), (403, "scope_missing"), f"the answer to {who}")
        anonymous = world.main.ask(method, at, body, headers={"X-Forwarded-For": "203.0.113.9"})
        same((anonymous.status, anonymous.code), (401, "unauthorized"), "the answer to somebody from elsewhere")

    return attempt


for method, path, body, scopes in NEEDS:
    told = path.replace("{o}", "ID").replace("{p}", "ID").replace("r_" + "0" * 32, "RUN")
    add(
        KIND_SCOPES,
        f"{method} {told} is refused to every token without {' or '.join(sorted(scopes))}",
        needs(method, path, body, scopes),
    )


@case(KIND_SCOPES, "over MCP, a token without execute runs no program")
def mcp_run(world):
    for who in ("reader", "approver", "admin"):
        done = world.main.execute("return 6 * 7", who, "MCP")
        assert done.success is False and done.value is None, done.raw[:300]


@case(KIND_SCOPES, "over MCP, a token without execute cannot end a run of its owner")
def mcp_cancel(world):
    run = world.main.ask(
        "POST", "/execute?async=true", {"code": "import asyncio\nawait asyncio.sleep(20)\nreturn 1"}, "mallory"
    ).json["run_id"]
    for who in ("reader", "approver"):
        world.main.modern("tasks/cancel", {"taskId": run}, who)
        state = world.main.ask("GET", f"/api/v1/runs/{run}", who="mallory").json["status"]
        assert state != "cancelled", f"{who} cancelled it; REST refuses that with scope_missing"
    world.main.ask("POST", f"/api/v1/runs/{run}/cancel", who="mallory")


@case(KIND_SCOPES, "over MCP, a token without execute or read looks at no run of its owner")
def mcp_look(world):
    run = world.main.execute("return 'what-was-returned'", "mallory").run
    told = world.main.modern("tasks/get", {"taskId": run}, "approver")
    lacks(str(told), "what-was-returned", "the task")
    told = world.main.rpc("resources/read", {"uri": f"tidegate://runs/{run}/result"}, "approver")
    lacks(str(told), "what-was-returned", "the resource")


@case(KIND_SCOPES, "over MCP, a token without execute or read finds no tools")
def mcp_search(world):
    told = world.main.tool("search_tools", {"query": "echo"}, "approver")
    lacks(str(told), "honest", "what was found; REST refuses that with scope_missing")


@case(KIND_SCOPES, "over MCP with tools passed through, a token without execute calls none of them")
def direct(world):
    before = len(world.notes())
    told = world.direct.tool("echo", {"a": 1}, "reader")
    assert "error" in told or told["result"].get("isError"), told
    told = world.direct.rpc("resources/read", {"uri": "honest://paper"}, "reader")
    assert "error" in told, told
    same([note for note in world.notes()[before:] if note.startswith("honest.")], [], "what was called")


# --- tokens ---------------------------------------------------------------------------------

GUESSES = {
    "none at all": "",
    "a word": "x",
    "the right beginning": "tgt_",
    "zeros": "tgt_" + "0" * 64,
    "one letter less": "-1",
    "one letter more": "+1",
    "capitals": "upper",
    "spaces within": "tgt_ " + "0" * 64,
    "a query of a database": "tgt_' OR '1'='1",
    "a very long one": "tgt_" + "a" * 20_000,
    "what is no text": "tgt_\xff\xfe",
}


def guess(how):
    def attempt(world):
        real = world.main.tokens["victim"]
        given = {"-1": real[:-1], "+1": real + "0", "upper": real.upper()}.get(GUESSES[how], GUESSES[how])
        answer = world.main.ask("GET", "/api/v1/sessions", headers={"Authorization": f"Bearer {given}"})
        same((answer.status, answer.code), (401, "unauthorized"), "the answer")
        if given:
            lacks(answer.text, given[:40], "the answer")
        other = world.main.ask("GET", "/api/v1/sessions", headers={"Authorization": "Bearer tgt_" + "1" * 64})
        same(answer.text, other.text, "the answer, as to any other wrong token")

    return attempt


for how in GUESSES:
    add(KIND_TOKENS, f"a token that is {how} is refused, in the same words as any other", guess(how))

SCHEMES = (
    "Basic dXNlcjpwYXNz",
    "Bearer",
    "Token {t}",
    "Bearer{t}",
    "{t}",
    "Digest username=victim",
    "bearer bearer {t}",
    "Bearer {t},{t}",
    "Bearer {t}; x",
    "Negotiate abc",
)


@case(KIND_TOKENS, "other ways to say who one is are refused")
def schemes(world):
    for scheme in SCHEMES:
        given = scheme.replace("{t}", world.main.tokens["victim"])
        answer = world.main.ask("GET", "/api/v1/sessions", headers={"Authorization": given})
        same(answer.status, 401, f"the status for {scheme!r}")


@case(KIND_TOKENS, "a token in the address, in a cookie or in another header counts for nothing")
def elsewhere(world):
    token = world.main.tokens["victim"]
    for path, headers in (
        (f"/api/v1/sessions?token={token}", {}),
        (f"/api/v1/sessions?access_token={token}", {}),
        ("/api/v1/sessions", {"Cookie": f"token={token}"}),
        ("/api/v1/sessions", {"X-Api-Key": token}),
        ("/api/v1/sessions", {"Proxy-Authorization": f"Bearer {token}"}),
    ):
        answer = world.main.ask("GET", path, headers={"X-Forwarded-For": "203.0.113.9", **headers})
        one_of(answer.status, (400, 401), "the status")


@case(KIND_TOKENS, "two tokens in one request do not make two owners of it")
def two(world):
    tokens = world.main.tokens
    request = (
        f"GET /api/v1/sessions/{world.session} HTTP/1.1\r\nHost: localhost\r\n"
        f"Authorization: Bearer {tokens['mallory']}\r\n"
        f"Authorization: Bearer {tokens['victim']}\r\nConnection: close\r\n\r\n"
    ).encode()
    status = world.main.raw(request).split(b" ")[1]
    one_of(status, (b"400", b"401", b"404"), "the status")


@case(KIND_TOKENS, "a token that is over is refused")
def over(world):
    token = world.main.token("short", "victim", "execute,read", "--lasts", "1s")
    import time

    time.sleep(1.5)
    same(world.main.ask("GET", "/api/v1/sessions", who=token).status, 401, "the status")


@case(KIND_TOKENS, "a token that was removed is refused after a few seconds")
def removed(world):
    token = world.main.token("gone", "mallory", "execute,read")
    same(world.main.ask("GET", "/api/v1/sessions", who=token).status, 200, "the status before")
    lacks(world.main.command("token", "list").stdout, token[4:], "the list of tokens")
    world.main.command("token", "remove", world.main.token_ids["gone"])
    gone = until(lambda: world.main.ask("GET", "/api/v1/sessions", who=token).status == 401, 20)
    assert gone, "it still works after 20 s"


@case(KIND_TOKENS, "tokens are not in the gateway's files or its log")
def kept(world):
    found = []
    for path in [*(world.main.folder / "data").rglob("*"), world.folder / "main.log"]:
        if path.is_file():
            content = path.read_bytes()
            found += [
                f"{name} in {path.name}" for name, token in world.main.tokens.items() if token.encode() in content
            ]
    same(found, [], "where tokens are")
