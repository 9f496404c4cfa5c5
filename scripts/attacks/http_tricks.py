"""Requests that are bent on the level of HTTP: hosts, origins, proxies, lengths, methods, addresses."""

import gzip
import json
import zlib

from suite import add, case, lacks, one_of, same

KIND = "header and host tricks"
KIND_BOMBS = "decompression bombs"

HOSTS = (
    "evil.example",
    "localhost.evil.example",
    "127.0.0.1.evil.example",
    "evil.example:80",
    "localhost@evil.example",
    "[::1]evil.example",
    "127.0.0.1:80@evil.example",
    "0.0.0.0",
    "127.1",
    "2130706433",
    "0x7f.0.0.1",
    "localhost.",
    "",
    "localhost, evil.example",
    "evil.example#localhost",
    "localhost/evil",
    "*",
    "169.254.169.254",
)


def request(
    world,
    method="GET",
    path="/api/v1/sessions",
    host="localhost",
    more=(),
    body=b"",
    who="mallory",
    version="1.1",
    length=True,
):
    """A request, byte by byte."""
    lines = [f"{method} {path} HTTP/{version}"]
    if host is not None:
        lines.append(f"Host: {host}")
    if who:
        lines.append(f"Authorization: Bearer {world.main.tokens[who]}")
    lines += [*more, "Connection: close"]
    if body and length:
        lines.append(f"Content-Length: {len(body)}")
    return "\r\n".join(lines).encode("latin-1") + b"\r\n\r\n" + body


def status(answer):
    """The status of the first answer; 0 where there is none."""
    parts = answer.split(b" ", 2)
    return int(parts[1]) if answer.startswith(b"HTTP/1") and len(parts) > 1 else 0


def foreign_host(host):
    def attempt(world):
        answer = world.main.raw(request(world, host=host))
        one_of(status(answer), (400, 421), "the status")
        lacks(answer, b'"sessions"', "the answer")

    return attempt


for host in HOSTS:
    add(KIND, f"a request for the host {host!r} is refused, as pages of others make it", foreign_host(host))


@case(KIND, "a request without a host, or with two, is refused")
def no_host(world):
    one_of(status(world.main.raw(request(world, host=None))), (400, 421), "without one")
    one_of(status(world.main.raw(request(world, more=["Host: evil.example"]))), (400, 421), "with two")
    one_of(
        status(world.main.raw(request(world, host="evil.example", more=["Host: localhost"]))),
        (400, 421),
        "the other way round",
    )


@case(KIND, "a whole address in the request does not get past the check of the host")
def absolute(world):
    answer = world.main.raw(request(world, path="http://evil.example/api/v1/sessions", host="evil.example"))
    one_of(status(answer), (400, 421), "the status")
    answer = world.main.raw(request(world, path="http://evil.example/api/v1/sessions", host=None))
    one_of(status(answer), (400, 421), "the status without a header")


ORIGINS = (
    "https://evil.example",
    "null",
    "http://localhost.evil.example",
    "http://127.0.0.1.evil.example",
    "file://",
    "",
    "http://localhost@evil.example",
    "chrome-extension://abc",
    "http://evil.example/http://localhost",
    "localhost",
)


def foreign_origin(origin):
    def attempt(world):
        for method, path, body in (
            ("GET", "/api/v1/sessions", None),
            ("POST", "/execute", {"code": "return 1"}),
            ("POST", "/mcp", {}),
        ):
            answer = world.main.ask(method, path, body, "mallory", {"Origin": origin})
            same((answer.status, answer.code), (403, "origin_not_allowed"), f"the answer to {method} {path}")
            assert "access-control-allow-origin" not in answer.headers, "the page may read it"

    return attempt


for origin in ORIGINS:
    add(KIND, f"a page of the origin {origin!r} is refused on every door", foreign_origin(origin))


@case(KIND, "a browser that asks before it asks is not told that it may")
def preflight(world):
    answer = world.main.ask(
        "OPTIONS",
        "/execute",
        headers={
            "Origin": "https://evil.example",
            "Access-Control-Request-Method": "POST",
            "Access-Control-Request-Headers": "authorization",
        },
    )
    assert "access-control-allow-origin" not in answer.headers, answer.headers
    one_of(answer.status, (403, 405), "the status")


@case(KIND, "a form of a page, which needs no leave of a browser, runs nothing")
def form(world):
    for kind in ("text/plain", "application/x-www-form-urlencoded", "multipart/form-data; boundary=x"):
        for path in ("/execute", "/api/v1/servers", "/api/v1/approvals/r_" + "0" * 32):
            answer = world.main.ask("POST", path, json.dumps({"code": "return 1"}), "boss", {"Content-Type": kind})
            one_of(answer.status, (403, 415), f"the status of {path} as {kind}")


FORWARDED = (
    "X-Forwarded-For: 127.0.0.1",
    "X-Real-IP: 127.0.0.1",
    "Forwarded: for=127.0.0.1",
    "X-Forwarded-For: ",
    "x-forwarded-for: ::1",
    "X-Forwarded-For: 203.0.113.9, 127.0.0.1",
    "X-Forwarded-Proto: http",
    "X-Forwarded-Host: localhost",
    "Via: 1.1 proxy",
    "X-Client-IP: 127.0.0.1",
)


@case(KIND, "a request that came through a proxy is not from this machine, whatever it says")
def proxies(world):
    for header in FORWARDED:
        answer = world.main.raw(
            request(
                world,
                "POST",
                "/execute",
                more=[header, "Content-Type: application/json"],
                body=b'{"code": "return 1"}',
                who=None,
            )
        )
        same(status(answer), 401, f"the status with {header!r}")


@case(KIND, "headers that other services believe change nothing")
def believed(world):
    for header in (
        "X-Original-URL: /api/v1/security/report",
        "X-Rewrite-URL: /api/v1/security/report",
        "X-HTTP-Method-Override: DELETE",
        "X-Forwarded-Host: evil.example",
        "X-Forwarded-Proto: https",
        "X-Remote-User: root",
        "X-Owner: victim",
        "Remote-User: victim",
        "X-Scopes: admin",
    ):
        answer = world.main.raw(request(world, path=f"/api/v1/sessions/{world.session}", more=[header]))
        same(status(answer), 404, f"the status with {header!r}")


SMUGGLED = b"GET /api/v1/smuggled HTTP/1.1\r\nHost: localhost\r\n\r\n"
BODY = b'{"code": "return 1"}'
SHAPES = {
    "two lengths that differ": (["Content-Length: 20", "Content-Length: 5"], BODY),
    "a length and chunks": ([f"Content-Length: {len(BODY)}", "Transfer-Encoding: chunked"], b"0\r\n\r\n" + SMUGGLED),
    "chunks in other letters": (["Transfer-Encoding: xchunked", "Content-Length: 4"], b"0\r\n\r\n"),
    "chunks said twice": (["Transfer-Encoding: chunked", "Transfer-Encoding: identity"], b"0\r\n\r\n" + SMUGGLED),
    "a length with a sign": (["Content-Length: +20"], BODY),
    "a length below zero": (["Content-Length: -1"], BODY),
    "a length in sixteens": (["Content-Length: 0x14"], BODY),
    "a length of too many digits": (["Content-Length: " + "9" * 40], BODY),
    "a list of lengths": (["Content-Length: 20, 21"], BODY),
    "a space before the colon": (["Content-Length : 20"], BODY),
    "a folded header": (["X-A: 1\r\n Content-Length: 20"], BODY),
    "a chunk of a size that is none": (["Transfer-Encoding: chunked"], b"zz\r\nx"),
    "a chunk of an impossible size": (["Transfer-Encoding: chunked"], b"ffffffffffffffffff\r\nx\r\n0\r\n\r\n"),
    "chunks with a bare line feed": (["Transfer-Encoding: chunked"], b"5\nhello\n0\n\n" + SMUGGLED),
    "a zero in a header": (["X-A: a\x00b"], BODY),
    "a carriage return in a header": (["X-A: a\rContent-Length: 0"], BODY),
    "a body with GET": ([f"Content-Length: {len(SMUGGLED)}"], SMUGGLED),
}


def smuggled(name, headers, body):
    def attempt(world):
        method, path = ("GET", "/api/v1/runs") if name == "a body with GET" else ("POST", "/execute")
        answer = world.main.raw(
            request(world, method, path, more=["Content-Type: application/json", *headers], body=body, length=False),
            wait=4,
            half_close=True,
        )
        lacks(answer, b"smuggled", "the answers")
        assert answer.count(b"HTTP/1.1 ") <= 1, f"one request had {answer.count(b'HTTP/1.1 ')} answers"
        if name not in ("a body with GET", "a folded header"):
            one_of(status(answer), (0, 400, 413, 501), "the status")

    return attempt


for name, (headers, body) in SHAPES.items():
    add(KIND, f"a request with {name} is one request at most", smuggled(name, headers, body))


@case(KIND, "methods that nobody has are refused, also those that other servers know")
def methods(world):
    for method in ("TRACE", "TRACK", "CONNECT", "PROPFIND", "DEBUG", "PATCH", "BREW", "get", "X" * 5000, "POST\tGET"):
        answer = world.main.raw(request(world, method, "/api/v1/sessions"))
        one_of(status(answer), (0, 400, 404, 405, 414, 431, 501), f"the status of {method[:10]}")
        lacks(answer, world.main.tokens["mallory"].encode(), "the answer")


@case(KIND, "HTTP of other versions gets no more than HTTP/1.1 does")
def versions(world):
    for version in ("1.0", "0.9", "2.0", "3.0", "1.2", "9.9", "1.1.1", ""):
        answer = world.main.raw(request(world, path=f"/api/v1/sessions/{world.session}", version=version))
        one_of(status(answer), (0, 400, 404, 421, 505), f"the status of HTTP/{version}")
    one_of(status(world.main.raw(request(world, host=None, version="1.0"))), (400, 421), "HTTP/1.0 without a host")


@case(KIND, "an address of many kilobytes is refused in words")
def long_address(world):
    answer = world.main.ask("GET", "/api/v1/runs?session=" + "a" * 30_000, who="mallory")
    same((answer.status, answer.code), (414, "uri_too_long"), "the answer")
    answer = world.main.raw(request(world, path="/" + "a" * 3_000_000))
    one_of(status(answer), (0, 400, 414, 431), "the status of three megabytes")


@case(KIND, "headers of many kilobytes, and many headers, are refused")
def long_headers(world):
    answer = world.main.raw(request(world, more=["X-A: " + "a" * 200_000]))
    same(status(answer), 431, "the status")
    answer = world.main.raw(request(world, more=[f"X-{i}: 1" for i in range(500)]))
    same(status(answer), 431, "the status of many")
    answer = world.main.raw(request(world, more=[f"X-{i}: 1" for i in range(50_000)]))
    one_of(status(answer), (0, 400, 431), "the status of very many")


@case(KIND, "addresses that are bent lead to no route that is guarded by another name")
def bent(world):
    for path in (
        "//api/v1/security/report",
        "/api/v1/../v1/security/report",
        "/api//v1/security/report",
        "/API/V1/security/report",
        "/api/v1/security/report/",
        "/api/v1/security/report;x",
        "/./api/v1/security/report",
        "/health/../api/v1/security/report",
        "/docs/../api/v1/security/report",
        "/%61pi/v1/security/report",
        "/approvals/../api/v1/security/report",
        "/api/v1/security%2freport",
        "/approvals/x/../../api/v1/servers",
        "/health/ready/../../api/v1/servers",
    ):
        answer = world.main.raw(request(world, path=path, who=None, more=["X-Forwarded-For: 1.2.3.4"]))
        one_of(status(answer), (200, 400, 401, 403, 404), f"the status of {path}")
        if status(answer) == 200:
            assert path.startswith("/approvals/"), f"{path} was answered"
            assert b"<html" in answer.lower(), "something else than the page was given"


@case(KIND, "what needs no token tells nothing that belongs to anyone")
def opened(world):
    for path in ("/", "/docs", "/openapi.json", "/health", "/health/ready", "/approvals"):
        answer = world.main.ask("GET", path, headers={"X-Forwarded-For": "203.0.113.9"})
        one_of(answer.status, (200, 303), f"the status of {path}")
        for word in (world.session, world.run, "mallory", str(world.work)):
            lacks(answer.text, word, f"what {path} says")


@case(KIND, "errors tell neither paths of this machine nor what the gateway is made of")
def errors(world):
    for method, path, body in (
        ("GET", "/nowhere", None),
        ("POST", "/execute", b"{"),
        ("GET", "/api/v1/runs/x", None),
        ("GET", "/%ff", None),
        ("POST", "/api/v1/sessions/import", b"x"),
        ("DELETE", "/execute", None),
    ):
        answer = world.main.ask(method, path, body, "mallory")
        assert 400 <= answer.status < 500, f"{path}: {answer.status}"
        for word in ("/rustc", ".rs:", str(world.work), "panicked", "sqlx", "RUST_BACKTRACE"):
            lacks(answer.text, word, f"the error of {path}")


@case(KIND, "a body that never comes to its end does not keep a program waiting")
def slow(world):
    began = request(
        world,
        "POST",
        "/execute",
        more=["Content-Type: application/json", "Content-Length: 1000"],
        body=b"{",
        length=False,
    )
    answer = world.main.raw(began, wait=2)
    one_of(status(answer), (0, 400, 408), "the status")
    same(world.main.execute("return 1", "mallory").value, 1, "the value afterwards")


# --- what is packed ---------------------------------------------------------------------------


def packed(form):
    """A request that is small and unpacks to 200 MiB."""
    plain = b'{"code": "return 1", "context": {"x": "' + b"a" * (200 << 20) + b'"}}'
    if form == "gzip":
        return gzip.compress(plain, 9)
    return zlib.compress(plain, 9)


PACKED = {}


def bomb(form, path, who):
    def attempt(world):
        way = "gzip" if "gzip" in form else "deflate"
        if way not in PACKED:
            PACKED[way] = packed(way)
        before = world.main.resident()
        answer = world.main.ask(
            "POST",
            path,
            PACKED[way],
            who,
            {
                "Content-Type": "application/json",
                "Content-Encoding": form,
                "Accept": "application/json, text/event-stream",
            },
        )
        one_of(answer.status, (400, 404, 409, 413, 415, 422), "the status")
        grown = world.main.resident() - before
        assert grown < 150 << 20, f"the gateway grew by {grown >> 20} MiB"

    return attempt


for form in ("gzip", "deflate", "x-gzip", "gzip, gzip", "br", "zstd"):
    add(KIND_BOMBS, f"a program packed as {form} 200 MiB large is not unpacked", bomb(form, "/execute", "mallory"))
for path in ("/mcp", "/api/v1/analysis", "/api/v1/validate", "/api/v1/sessions/import", "/api/v1/runs/import"):
    add(KIND_BOMBS, f"what is sent packed to {path} is not unpacked", bomb("gzip", path, "mallory"))


@case(KIND_BOMBS, "a packed file stays packed, and counts as what it is")
def packed_file(world):
    session = world.main.ask("POST", "/api/v1/sessions", {}, "mallory").json["id"]
    small = gzip.compress(bytes(30 << 20), 9)
    answer = world.main.ask(
        "PUT", f"/api/v1/sessions/{session}/files/x.gz", small, "mallory", {"Content-Encoding": "gzip"}
    )
    one_of(answer.status, (204, 415), "the status")
    if answer.status == 204:
        same(world.main.ask("GET", f"/api/v1/sessions/{session}/files/x.gz", who="mallory").body, small, "the file")


@case(KIND_BOMBS, "a packed transfer is refused")
def transfer(world):
    body = gzip.compress(b'{"code": "return 1"}')
    answer = world.main.raw(
        request(
            world,
            "POST",
            "/execute",
            more=["Content-Type: application/json", "Transfer-Encoding: gzip, chunked"],
            body=f"{len(body):x}\r\n".encode() + body + b"\r\n0\r\n\r\n",
            length=False,
        ),
        wait=4,
    )
    one_of(status(answer), (0, 400, 501), "the status")
