"""A gateway under attack: started, asked over REST, MCP and bare sockets; every answer is searched for secrets."""

import dataclasses
import http.client
import itertools
import json
import os
import queue
import signal
import socket
import subprocess
import threading
import time

MODERN = "2026-07-28"
LEGACY = "2025-06-18"
TASKS = {"extensions": {"io.modelcontextprotocol/tasks": {}}}
META = "io.modelcontextprotocol/"
_numbers = itertools.count(1)


@dataclasses.dataclass
class Answer:
    """What came back over HTTP."""

    status: int
    headers: dict
    body: bytes

    @property
    def text(self):
        return self.body.decode(errors="replace")

    @property
    def json(self):
        return json.loads(self.body)

    @property
    def code(self):
        """The word of an error."""
        try:
            return self.json["error"]["code"]
        except (ValueError, KeyError, TypeError):
            return None


@dataclasses.dataclass
class Outcome:
    """What became of a program, the same for both doors."""

    raw: str
    success: bool
    value: object
    stdout: str
    error: dict | None
    session: str | None
    run: str | None

    @property
    def kind(self):
        return (self.error or {}).get("type")

    @property
    def message(self):
        return (self.error or {}).get("message") or ""


def whole(response, wait):
    """The whole body. A stream that says every now and then that it is still there is not waited for any longer."""
    until, read = time.monotonic() + wait, b""
    while chunk := response.read1(1 << 20):
        read += chunk
        if time.monotonic() > until:
            raise TimeoutError(f"no end of the answer after {wait} s")
    return read


def free_port():
    """A port that nobody has at the moment."""
    with socket.socket() as one:
        one.bind(("127.0.0.1", 0))
        return one.getsockname()[1]


class Gateway:
    """One `tidegate serve`."""

    def __init__(self, world, name, config, *options, env=None):
        self.world, self.name = world, name
        self.folder = world.work / name
        self.folder.mkdir()
        self.config = self.folder / "tidegate.toml"
        self.config.write_text(config)
        self.env = {
            **os.environ,
            **(env or {}),
            "TIDEGATE_DATA": str(self.folder / "data"),
            "TIDEGATE_CONFIG": str(self.config),
            world.env_name: world.env_token,
        }
        self.tokens, self.token_ids = {}, {}
        self.sessions = {}
        self.port = free_port()
        self.options = options
        self.process = None

    def token(self, name, owner, scopes, *more):
        """Makes a token, known as `name` from then on."""
        made = self.command("token", "create", owner, "--scopes", scopes, *more)
        self.tokens[name] = made.stdout.strip()
        self.token_ids[name] = made.stderr.split("token ", 1)[1].split()[0]
        return self.tokens[name]

    def command(self, *arguments):
        """Runs another command of the same installation."""
        done = subprocess.run(
            [self.world.binary, *arguments],
            env=self.env,
            capture_output=True,
            text=True,
            timeout=60,
            stdin=subprocess.DEVNULL,
        )
        assert done.returncode == 0, f"{arguments}: {done.stderr[-500:]}"
        return done

    def start(self):
        """Starts it and waits until programs can run."""
        log = open(self.world.folder / f"{self.name}.log", "wb")
        command = [self.world.binary, "serve", "--port", str(self.port), *self.options]
        self.process = subprocess.Popen(
            command,
            env=self.env,
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            cwd=self.folder,
            start_new_session=True,
        )
        until = time.monotonic() + 120
        while time.monotonic() < until:
            assert self.process.poll() is None, f"{self.name} did not start"
            try:
                if self.ask("GET", "/health/ready", wait=5).status == 200:
                    return self
            except OSError:
                pass
            time.sleep(0.1)
        raise RuntimeError(f"{self.name} did not get ready")

    def stop(self):
        """Ends it, the hard way if need be."""
        if self.process and self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(15)
            except subprocess.TimeoutExpired:
                os.kill(self.process.pid, signal.SIGKILL)
                self.process.wait(5)

    def resident(self):
        """Bytes of its own that are in memory now; pages of files that it maps are nobody's loss."""
        with open(f"/proc/{self.process.pid}/status") as status:
            figures = dict(line.split(":", 1) for line in status)
        return sum(int(figures[name].split()[0]) << 10 for name in ("RssAnon", "RssShmem"))

    def children(self):
        """Processes that it started."""
        with open(f"/proc/{self.process.pid}/task/{self.process.pid}/children") as children:
            return [int(one) for one in children.read().split()]

    # --- REST ---------------------------------------------------------------------------

    def ask(self, method, path, body=None, who=None, headers=(), wait=60):
        """One request; `who` is the name of a token, a token itself, or nobody."""
        given = dict(headers)
        if body is not None and not isinstance(body, (bytes, str)):
            body = json.dumps(body)
            given.setdefault("Content-Type", "application/json")
        if isinstance(body, str):
            body = body.encode()
        if who is not None:
            given["Authorization"] = f"Bearer {self.tokens.get(who, who)}"
        connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=wait)
        try:
            connection.request(method, path, body, given)
            response = connection.getresponse()
            read = whole(response, wait)
            answer = Answer(response.status, {k.lower(): v for k, v in response.getheaders()}, read)
        finally:
            connection.close()
        self.world.scan(answer.body + repr(answer.headers).encode(), who, f"{method} {path[:80]}")
        return answer

    def raw(self, request, wait=10, who=None, half_close=False):
        """Bytes as they are, over a socket of their own; whatever comes back."""
        received = b""
        with socket.create_connection(("127.0.0.1", self.port), timeout=wait) as one:
            try:
                one.sendall(request)
                if half_close:
                    one.shutdown(socket.SHUT_WR)
                while chunk := one.recv(65536):
                    received += chunk
                    if len(received) > 4 << 20:
                        break
            except (TimeoutError, ConnectionError):
                pass
        self.world.scan(received, who, "a bare request")
        return received

    # --- programs -----------------------------------------------------------------------

    def execute(self, code, who=None, door="REST", timeout=None, **more):
        """Runs a program over one of the doors."""
        given = {"code": code, **more, **({"timeout": timeout} if timeout else {})}
        if door == "REST":
            answer = self.ask("POST", "/execute", given, who)
            assert answer.status in (200, 202), f"{answer.status}: {answer.text[:400]}"
            told, raw = answer.json, answer.text
        else:
            message = self.tool("execute_python", given, who)
            raw = json.dumps(message)
            result = message.get("result") or {}
            told = result.get("structuredContent")
            if told is None:
                words = "".join(part.get("text", "") for part in result.get("content", []))
                told = {
                    "success": False,
                    "return_value": None,
                    "stdout": "",
                    "error": {"type": "Refused", "message": words or json.dumps(message)},
                }
        return Outcome(
            raw,
            told.get("success"),
            told.get("return_value"),
            told.get("stdout") or "",
            told.get("error"),
            told.get("session"),
            told.get("run_id"),
        )

    # --- MCP over HTTP ------------------------------------------------------------------

    def post(self, message, who=None, headers=(), wait=60):
        """One message at /mcp, as it is."""
        given = {"Content-Type": "application/json", "Accept": "application/json, text/event-stream", **dict(headers)}
        body = message if isinstance(message, (bytes, str)) else json.dumps(message)
        return self.ask("POST", "/mcp", body, who, given, wait)

    def session(self, who=None, capabilities=None):
        """The name of an MCP session, begun if there is none."""
        key = (who, json.dumps(capabilities))
        if key not in self.sessions:
            answer = self.post(hello(capabilities), who)
            assert answer.status == 200, f"{answer.status}: {answer.text[:300]}"
            self.sessions[key] = answer.headers["mcp-session-id"]
            told = {"jsonrpc": "2.0", "method": "notifications/initialized"}
            self.post(told, who, self.named(key))
        return self.named(key)

    def named(self, key):
        return {"Mcp-Session-Id": self.sessions[key], "MCP-Protocol-Version": LEGACY}

    def rpc(self, method, params=None, who=None, wait=60):
        """A request of an older client; the message that answers it."""
        number = next(_numbers)
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}}
        return answered(self.post(message, who, self.session(who), wait), number)

    def modern(self, method, params=None, who=None, capabilities=None, name=None, wait=60):
        """A request of a client of the newest revision, which has no sessions."""
        number = next(_numbers)
        capabilities = capabilities or (TASKS if method.startswith("tasks/") else {})
        meta = {
            f"{META}protocolVersion": MODERN,
            f"{META}clientCapabilities": capabilities,
            f"{META}clientInfo": {"name": "attacks", "version": "1"},
        }
        params = {**(params or {}), "_meta": meta}
        headers = {"MCP-Protocol-Version": MODERN, "Mcp-Method": method}
        name = name or params.get("name") or params.get("uri") or params.get("taskId")
        if name:
            headers["Mcp-Name"] = name
        message = {"jsonrpc": "2.0", "id": number, "method": method, "params": params}
        return answered(self.post(message, who, headers, wait), number)

    def tool(self, name, arguments, who=None, wait=60):
        """A call of one of the tools that clients see."""
        return self.rpc("tools/call", {"name": name, "arguments": arguments}, who, wait)


def hello(capabilities=None, version=LEGACY):
    """What a client of an older revision begins with."""
    params = {
        "protocolVersion": version,
        "capabilities": capabilities or {},
        "clientInfo": {"name": "attacks", "version": "1"},
    }
    return {"jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params}


def messages(answer):
    """The messages of an answer, which is JSON or a stream of events."""
    if "event-stream" not in answer.headers.get("content-type", ""):
        return [answer.json] if answer.body else []
    found = []
    for line in answer.text.splitlines():
        if line.startswith("data:") and line[5:].strip():
            found.append(json.loads(line[5:]))
    return found


def answered(answer, number):
    """The message that answers the request of that number."""
    found = [one for one in messages(answer) if one.get("id") == number and ("result" in one or "error" in one)]
    assert len(found) == 1, f"{len(found)} answers to one request, status {answer.status}: {answer.text[:400]}"
    return found[0]


class Stdio:
    """One `tidegate mcp`, spoken to over its standard streams."""

    def __init__(self, gateway):
        self.world = gateway.world
        log = open(self.world.folder / "mcp.log", "ab")
        self.process = subprocess.Popen(
            [self.world.binary, "mcp"],
            env=gateway.env,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=log,
            cwd=gateway.folder,
            start_new_session=True,
        )
        self.lines = queue.Queue()
        threading.Thread(target=self._read, daemon=True).start()
        self.send(hello())
        self.answer(0)
        self.send({"jsonrpc": "2.0", "method": "notifications/initialized"})

    def _read(self):
        for line in self.process.stdout:
            self.world.scan(line, None, "a line of `tidegate mcp`")
            self.lines.put(line)
        self.lines.put(None)

    def send(self, message):
        """One line, as it is or as JSON."""
        if not isinstance(message, bytes):
            message = json.dumps(message).encode()
        self.process.stdin.write(message + b"\n")
        self.process.stdin.flush()

    def answer(self, number, wait=40):
        """The message that answers the request of that number; every line before it must be JSON-RPC."""
        until = time.monotonic() + wait
        while (left := until - time.monotonic()) > 0:
            try:
                line = self.lines.get(timeout=left)
            except queue.Empty:
                break
            assert line is not None, "`tidegate mcp` ended"
            message = json.loads(line)
            assert message.get("jsonrpc") == "2.0", f"a line that is no message: {line[:200]!r}"
            if message.get("id") == number and "method" not in message:
                return message
        raise AssertionError(f"no answer to request {number!r}")

    def rpc(self, method, params=None, wait=40):
        """A request and its answer."""
        number = next(_numbers)
        self.send({"jsonrpc": "2.0", "id": number, "method": method, "params": params or {}})
        return self.answer(number, wait)

    def execute(self, code, **more):
        """The result of a program."""
        told = self.rpc("tools/call", {"name": "execute_python", "arguments": {"code": code, **more}})
        return told["result"]

    def stop(self):
        """Ends it."""
        self.process.stdin.close()
        try:
            self.process.wait(10)
        except subprocess.TimeoutExpired:
            os.kill(self.process.pid, signal.SIGKILL)
            self.process.wait(5)
