"""Adding a server runs a command: only those who look after the gateway may, and only a server comes of it."""

import socket

from suite import add, case, lacks, one_of, same
from world import until

KIND = "config and servers"


def refused(who, what):
    def attempt(world):
        entry = {"name": "added", "command": "touch", "args": [str(world.marker)]}
        answer = world.main.ask("POST", "/api/v1/servers", entry, who)
        one_of(answer.status, (401, 403), "the status")
        removed = world.main.ask("DELETE", "/api/v1/servers/honest", who=who)
        one_of(removed.status, (401, 403), "the status of removing")
        world.main.execute("try:\n    import servers.added\nexcept ImportError: pass\nreturn 1", "mallory")
        assert not world.marker.exists(), "the command was run"
        names = [one["name"] for one in world.main.ask("GET", "/api/v1/servers", who="mallory").json["servers"]]
        same(sorted(names), ["honest", "hostile", "poisoned"], "the servers")

    return attempt


for who, what in (
    ("mallory", "runs programs"),
    ("reader", "reads"),
    ("approver", "approves"),
    ("boss", "does all but look after it"),
    (None, "is on this machine without a token"),
):
    add(KIND, f"whoever only {what} adds and removes no server", refused(who, what))

ENTRIES = {
    "a name that is a path": {"name": "../../x", "command": "true"},
    "an empty name": {"name": "", "command": "true"},
    "a name with a zero": {"name": "a\x00b", "command": "true"},
    "a name with a line feed": {"name": "a\nb", "command": "true"},
    "a name that is too long": {"name": "a" * 5000, "command": "true"},
    "a name that is a list": {"name": ["x"], "command": "true"},
    "a name with a slash": {"name": "a/b", "command": "true"},
    "neither a command nor an address": {"name": "x1"},
    "both a command and an address": {"name": "x2", "command": "true", "url": "http://127.0.0.1:1/"},
    "arguments that are a text": {"name": "x3", "command": "true", "args": "-rf"},
    "an environment of numbers": {"name": "x4", "command": "true", "env": {"A": 1}},
    "a field that trusts it": {"name": "x5", "command": "true", "trusted": True},
    "an address that is a file": {"name": "x6", "url": "file:///etc/passwd"},
    "an address that is none": {"name": "x7", "url": "::"},
}


def entry(given):
    def attempt(world):
        answer = world.main.ask("POST", "/api/v1/servers", given, "admin")
        one_of(answer.status, (400, 422), f"the status ({answer.text[:150]})")

    return attempt


for name, given in ENTRIES.items():
    add(KIND, f"an admin's server with {name} is refused", entry(given))


@case(KIND, "a server that an admin adds cannot take the name of another, and holds its own environment only")
def added(world):
    answer = world.main.ask("POST", "/api/v1/servers", {"name": "honest", "command": "true"}, "admin")
    same((answer.status, answer.code), (409, "server_exists"), "a name that is taken")


@case(KIND, "a header with a line feed in an admin's server does not become two headers")
def two_headers(world):
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen()
        listening.settimeout(2)
        url = f"http://127.0.0.1:{listening.getsockname()[1]}/mcp"
        given = {"name": "bent", "url": url, "headers": {"A": "b\r\nInjected: d"}}
        answer = world.main.ask("POST", "/api/v1/servers", given, "admin")
        one_of(answer.status, (201, 400, 422), "the status")
        heard = b""
        try:
            one, _ = listening.accept()
            with one:
                one.settimeout(2)
                heard = one.recv(65536)
        except TimeoutError:
            pass
    world.main.ask("DELETE", "/api/v1/servers/bent", who="admin")
    lacks(heard.lower(), b"\ninjected:", "what the server was sent")


@case(KIND, "the environment, headers and arguments of servers are shown to nobody")
def hidden(world):
    for who in ("mallory", "reader", "admin"):
        for path in ("/api/v1/servers", "/health/ready", "/metrics", "/api/v1/tools", "/"):
            answer = world.main.ask("GET", path, who=who)
            for word in ("HONEST_CREDENTIAL", "honest.py", str(world.notes_file)):
                lacks(answer.text, word, f"what {path} says to {who}")


@case(KIND, "a file of settings with a mistake changes nothing, and rules stay in force")
def mistaken(world):
    kept = world.main.config.read_text()
    try:
        world.main.config.write_text("[policy]\ndestructive = 'sometimes'\n")
        import time

        time.sleep(1.5)
        before = len(world.notes())
        done = world.main.execute("from servers.honest import forbidden\nawait forbidden(a=1)", "mallory")
        same(done.kind, "PolicyError", "the end of a forbidden call")
        same([note for note in world.notes()[before:] if "forbidden" in note], [], "what was called")
    finally:
        world.main.config.write_text(kept)
    assert until(
        lambda: world.main.execute("from servers.honest import echo\nreturn await echo(a=1)", "mallory").success, 15
    )


@case(KIND, "a program cannot add a server through files of its session")
def planted(world):
    session = world.main.ask("POST", "/api/v1/sessions", {}, "mallory").json["id"]
    toml = f"[servers.planted]\ncommand = 'touch'\nargs = ['{world.marker}']\n"
    for name in ("tidegate.toml", ".mcp.json", "servers/planted/__init__.py"):
        world.main.ask("PUT", f"/api/v1/sessions/{session}/files/{name}", toml.encode(), "mallory")
    world.main.execute(
        "try:\n    import servers.planted\nexcept ImportError: pass\nreturn 1", "mallory", session=session
    )
    assert not world.marker.exists(), "the command was run"


@case(KIND, "the report of what was refused is for those who look after the gateway, and has the refusals")
def report(world):
    same(world.main.ask("GET", "/api/v1/security/report", who="mallory").status, 403, "the status for others")
    answer = world.main.ask("GET", "/api/v1/security/report", who="admin")
    same(answer.status, 200, "the status for an admin")


@case(KIND, "the log of what happened is whole after all of this")
def audit(world):
    done = world.main.command("audit", "verify")
    lacks(done.stdout.lower(), "tamper", "what is said of it")
