"""Paths in the addresses of files, artifacts and tools that try to lead elsewhere."""

from suite import add, case, lacks, one_of, same

KIND = "path tricks"

# As they stand in the address, and what they try.
PATHS = {
    "..": "the folder above",
    "../x": "a file above",
    "..%2fx": "an encoded slash",
    "%2e%2e/x": "encoded dots",
    "%2e%2e%2f%2e%2e%2fetc%2fpasswd": "everything encoded",
    "..%252fx": "what is encoded twice",
    "a/../../x": "a folder in between",
    "./../x": "a dot before it",
    "%2fetc%2fpasswd": "an encoded absolute path",
    "/etc/passwd": "an absolute path",
    "//etc/passwd": "two slashes",
    "x%00.txt": "a zero in the name",
    "..%5c..%5cx": "backslashes",
    "%c0%ae%c0%ae/x": "dots in too many bytes",
    "%ff%fe": "bytes that are no text",
    "..;/x": "a path parameter",
    "a" * 300: "a name that is too long",
    "/".join(["d"] * 3000): "a path that is too deep",
}


def path(given, method):
    def attempt(world):
        session = own(world)
        body = b"planted" if method == "PUT" else None
        answer = world.main.ask(method, f"/api/v1/sessions/{session}/files/{given}", body, "mallory")
        one_of(answer.status, (204, 200, 400, 404, 405, 414, 422), "the status")
        lacks(answer.text, "root:", "the answer")
        if method == "GET":
            assert answer.status != 200, f"something was read: {answer.text[:100]}"
        listed = world.main.ask("GET", f"/api/v1/sessions/{session}/files", who="mallory")
        same(listed.status, 200, "the list")
        for one in listed.json["files"]:
            assert not one["path"].startswith("/") and ".." not in one["path"].split("/"), one["path"]
        seen = world.main.execute(
            "import os\nreturn [w for w, _, _ in os.walk('/workspace')] + os.listdir('/servers')",
            "mallory",
            session=session,
        )
        assert all(not str(one).startswith(("/etc", "/x")) for one in seen.value), seen.value

    return attempt


def own(world):
    """A session of the attacker's."""
    return world.main.ask("POST", "/api/v1/sessions", {}, "mallory").json["id"]


for given, what in PATHS.items():
    add(KIND, f"a file is read with {what} in its path, and nothing is", path(given, "GET"))
    add(KIND, f"a file is written with {what} in its path, and stays in the session", path(given, "PUT"))


@case(KIND, "names of files that differ only in their Unicode form are files of their own")
def forms(world):
    session = own(world)
    for name, content in (("caf%C3%A9", b"one"), ("cafe%CC%81", b"two")):
        same(world.main.ask("PUT", f"/api/v1/sessions/{session}/files/{name}", content, "mallory").status, 204)
    same(world.main.ask("GET", f"/api/v1/sessions/{session}/files/caf%C3%A9", who="mallory").body, b"one")
    same(world.main.ask("GET", f"/api/v1/sessions/{session}/files/cafe%CC%81", who="mallory").body, b"two")


@case(KIND, "a file that a program calls like a header is given back without becoming one")
def headers(world):
    done = world.main.execute("open('/workspace/a\\r\\nSet-Cookie: x=1', 'w').write('x')\nreturn 1", "mallory")
    answer = world.main.ask("GET", f"/api/v1/sessions/{done.session}/files/a%0D%0ASet-Cookie:%20x=1", who="mallory")
    assert "set-cookie" not in answer.headers, "a header was made"
    listed = world.main.ask("GET", f"/api/v1/sessions/{done.session}/files", who="mallory")
    assert "set-cookie" not in listed.headers, "a header was made"


@case(KIND, "a page that a program wrote is not shown as a page of the gateway")
def page(world):
    session = own(world)
    world.main.ask("PUT", f"/api/v1/sessions/{session}/files/x.html", b"<script>alert(1)</script>", "mallory")
    answer = world.main.ask("GET", f"/api/v1/sessions/{session}/files/x.html", who="mallory")
    same(answer.headers.get("content-type"), "application/octet-stream", "its type")


@case(KIND, "a file sent from outside meets the quota of one file")
def large(world):
    session = own(world)
    answer = world.main.ask("PUT", f"/api/v1/sessions/{session}/files/big", bytes(12 << 20), "mallory")
    one_of(answer.status, (413, 422), "the status")
    same(world.main.ask("GET", f"/api/v1/sessions/{session}/files", who="mallory").json["files"], [], "the files")


ARTIFACTS = (
    "..%2f..%2fservice.db",
    "..",
    "%2e%2e",
    "%2fetc%2fpasswd",
    "x%00",
    "....//....//service.db",
    "-",
    ".",
    "a" * 4000,
)


@case(KIND, "artifacts with paths for names lead to nothing of the gateway's folder")
def artifacts(world):
    run = world.main.execute("return 1", "mallory").run
    for name in ARTIFACTS:
        answer = world.main.ask("GET", f"/api/v1/runs/{run}/artifacts/{name}", who="mallory")
        one_of(answer.status, (400, 404), f"the status for {name[:40]!r}")
        lacks(answer.body, b"SQLite format", "the answer")


@case(KIND, "the address of an artifact as a resource leads to nothing of the gateway's folder")
def resources(world):
    run = world.main.execute("return 1", "mallory").run
    for uri in (
        f"tidegate://runs/{run}/artifacts/../../service.db",
        "tidegate://runs/../artifacts/x",
        "file:///etc/passwd",
        f"tidegate://runs/{run}/artifacts/%2e%2e",
        "tidegate://runs/",
        "http://127.0.0.1/x",
        "/etc/passwd",
        "",
        f"tidegate://runs/{run}/result?pointer=/../../x&limit=5",
    ):
        told = world.main.rpc("resources/read", {"uri": uri}, "mallory")
        assert "error" in told, f"{uri} was read: {told}"
        lacks(str(told), "SQLite format", "the answer")


@case(KIND, "names of tools in an address lead to no file")
def tools(world):
    for name in (
        "..%2f..%2f..",
        "%2e%2e/%2e%2e",
        "poisoned/..%2f..%2fetc%2fpasswd",
        "honest/%00",
        "honest/../../config",
    ):
        answer = world.main.ask("GET", f"/api/v1/tools/{name}", who="mallory")
        one_of(answer.status, (400, 404, 200), f"the status for {name}")
        lacks(answer.text, "root:x", "the answer")
        if answer.status == 200:
            # The server really has a tool of that name; its definition is shown, and no file.
            same(answer.json.get("server"), "poisoned", "whose tool it is")


@case(KIND, "artifacts that a program makes with paths for names stay names")
def made(world):
    code = (
        "import os\nos.makedirs('/workspace/artifacts/a', exist_ok=True)\n"
        "for n in ('a/..b', '...', '-rf', 'con', 'x' * 200):\n"
        "    open('/workspace/artifacts/' + n, 'w').write('x')\nreturn 1"
    )
    done = world.main.execute(code, "mallory")
    assert done.success, done.raw[:300]
    lacks(done.raw, '"/etc', "the answer")
