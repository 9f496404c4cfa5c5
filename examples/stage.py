"""What the examples share: finding tidegate, talking to it, and the table of what was saved.

Standard library only, so that a clean checkout needs nothing but Python 3.9 or newer.
"""

import base64
import collections
import http.server
import json
import os
import pathlib
import shutil
import socket
import struct
import subprocess
import sys
import threading
import urllib.error
import urllib.request

ROOT = pathlib.Path(__file__).resolve().parent.parent


def binary():
    """The `tidegate` to use: the one that is named, the one of this checkout, one on the path; if there is none, it is built."""
    if named := os.environ.get("TIDEGATE"):
        if not shutil.which(named):
            sys.exit(f"TIDEGATE is {named!r}, which is no program that can be started; name another, or leave it out")
        return shutil.which(named)
    # As cargo reads it, which is started in that folder.
    built = ROOT / (os.environ.get("CARGO_TARGET_DIR") or "target") / "release" / "tidegate"
    if command := str(built) if built.is_file() else shutil.which("tidegate"):
        return command
    print("there is no tidegate yet; building it, which takes some minutes", file=sys.stderr)
    try:
        built_now = subprocess.run(["cargo", "build", "--release", "--package", "tidegate"], cwd=ROOT, stdout=sys.stderr).returncode == 0
    except FileNotFoundError:
        sys.exit("there is no cargo to build tidegate with; get Rust from https://rustup.rs, or say where a tidegate is with TIDEGATE=/path/to/tidegate")
    if not built_now:
        sys.exit("tidegate could not be built; what cargo said is above")
    return str(built)


def environment(example):
    """The environment of this example: `tidegate` on the path, and a folder of its own for what it keeps."""
    variables = dict(os.environ)
    data = pathlib.Path(variables.get("TIDEGATE_DATA") or example / ".data").absolute()
    data.mkdir(parents=True, exist_ok=True)
    variables["TIDEGATE_DATA"] = str(data)
    command = pathlib.Path(binary()).absolute()
    if command.name != "tidegate":
        # The configuration names it so, since its servers are the same program.
        link = data / "bin" / "tidegate"
        link.parent.mkdir(exist_ok=True)
        link.unlink(missing_ok=True)
        link.symlink_to(command)
        command = link
    variables["PATH"] = str(command.parent) + os.pathsep + variables["PATH"]
    # A gateway answers while its runtime is being installed, but a program has to wait for it.
    install(variables)
    return variables


def install(variables, *which):
    """Installs what programs run on, unless it is there; `typescript` is the one that is not Python."""
    if subprocess.run(["tidegate", "runtime", "install", *which], env=variables, stdout=sys.stderr).returncode != 0:
        sys.exit("the guest runtime could not be installed; what it said is above")


def needs(*commands):
    """Ends the example where one of these is not there, before anything waits for it."""
    if missing := [command for command in commands if not shutil.which(command)]:
        sys.exit(f"this example needs {' and '.join(missing)} on the path; its README says what for")


class Client:
    """An MCP client like any other: it starts what `.mcp.json` names, and speaks JSON-RPC over its streams."""

    def __init__(self, example, name="tidegate"):
        server = json.loads((example / ".mcp.json").read_text())["mcpServers"][name]
        self.variables = environment(example) | server.get("env", {})
        self.process = subprocess.Popen(
            [server["command"], *server["args"]],
            cwd=example,
            env=self.variables,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self.asked = 0

    def __enter__(self):
        about = {"name": "example", "version": "1"}
        self.ask("initialize", {"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": about})
        self.send({"method": "notifications/initialized"})
        return self

    def __exit__(self, *_):
        self.process.stdin.close()
        self.process.wait()

    def send(self, message):
        self.process.stdin.write(json.dumps({"jsonrpc": "2.0", **message}) + "\n")
        self.process.stdin.flush()

    def ask(self, method, params):
        self.asked += 1
        self.send({"id": self.asked, "method": method, "params": params})
        for line in self.process.stdout:
            answer = json.loads(line)
            if answer.get("id") == self.asked and "method" not in answer:
                break
        else:
            sys.exit("tidegate ended before it answered; what it said is above")
        if "error" in answer:
            sys.exit(f"{method}: {answer['error']['message']}")
        return answer["result"]

    def call(self, tool, **arguments):
        """The result of a tool; a program that failed ends the example with what it said."""
        result = self.ask("tools/call", {"name": tool, "arguments": arguments})
        if result.get("isError"):
            sys.exit("\n".join(block.get("text", "") for block in result["content"]))
        return result


class Service:
    """A `tidegate serve` of one's own, on a port that is free."""

    def __init__(self, example, *arguments, token=None):
        self.variables = environment(example)
        self.token = token
        self.process = subprocess.Popen(
            ["tidegate", "serve", "--port", "0", *arguments],
            cwd=example,
            env=self.variables,
            stderr=subprocess.PIPE,
            text=True,
        )
        # The last of what it says, for when something goes wrong.
        self.said = collections.deque(maxlen=40)
        for line in self.process.stderr:
            self.heard(line)
            if "listening" in line and "http://" in line:
                self.address = "http://" + line.split("http://")[1].split()[0]
                break
        else:
            sys.exit("".join(self.said) + "tidegate ended before it listened; what it said is above")
        # Somebody has to listen to the rest, or it waits until there is room for more.
        self.listener = threading.Thread(target=lambda: [self.heard(line) for line in self.process.stderr], daemon=True)
        self.listener.start()

    def heard(self, line):
        self.said.append(line)
        if os.environ.get("TIDEGATE_LOG"):
            print(line, end="", file=sys.stderr)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.process.terminate()
        self.process.wait()
        self.listener.join()
        self.process.stderr.close()

    def ask(self, method, path, body=None, token=None):
        """Status and body of an answer."""
        headers = {"Content-Type": "application/json"}
        if token or self.token:
            headers["Authorization"] = f"Bearer {token or self.token}"
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.address + path, data, headers, method=method)
        try:
            with urllib.request.urlopen(request) as answer:
                return answer.status, answer.read().decode()
        except urllib.error.HTTPError as error:
            return error.code, error.read().decode()
        except OSError as error:
            sys.exit("".join(self.said) + f"{method} {path}: {error}; the last words of tidegate are above")

    def typescript(self, path, token=None, **more):
        """Runs a program in TypeScript; gives what it returns."""
        install(self.variables, "typescript")
        run = self.json("POST", "/execute", {"code": path.read_text(), "language": "typescript", **more}, token)
        if not run["success"]:
            sys.exit(f"{path.name}: {run['error']['message']}")
        return run["return_value"]

    def json(self, method, path, body=None, token=None):
        status, text = self.ask(method, path, body, token)
        if status >= 300:
            sys.exit(f"{method} {path}: {status} {text}")
        return json.loads(text)


def rounded(value):
    """For eyes: four places of a fraction are enough."""
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, list):
        return [rounded(one) for one in value]
    if isinstance(value, dict):
        return {name: rounded(one) for name, one in value.items()}
    return value


shown = []


def show(title, value):
    """Prints a value that a model would read, a line for each part."""
    if shown:
        print()
    shown.append(title)
    print(f"## {title}")
    if isinstance(value, str):
        return print(value)
    parts = [f"{name}: " for name in value] if isinstance(value, dict) else [""] * len(value)
    for part, one in zip(parts, value.values() if isinstance(value, dict) else value):
        text = one if isinstance(one, str) else json.dumps(rounded(one), ensure_ascii=False)
        print(part + text)


def saved(receipt):
    """What share of the tokens was saved against passing definitions and data through the model."""
    return 100 * receipt["tokens_saved"] / receipt["inline"]


def table(receipts):
    """Prints what each step cost a model, and what it would have cost without a program."""
    rows = [(name, one["inline"], one["inline"] - one["tokens_saved"], saved(one)) for name, one in receipts]
    direct, ours = sum(row[1] for row in rows), sum(row[2] for row in rows)
    rows.append(("all", direct, ours, 100 * (direct - ours) / direct))
    print(f"{'tokens':<14}{'through the model':>20}{'with programs':>16}{'saved':>10}")
    for name, through, cost, share in rows:
        print(f"{name:<14}{through:>20,}{cost:>16,}{share:>9.2f}%")
    return rows[-1][3]


class Recorded:
    """A model's provider that says what was recorded, one message after another. It speaks Ollama's format."""

    def __init__(self, messages):
        left = iter(messages)
        self.requests = requests = []

        class Handler(http.server.BaseHTTPRequestHandler):
            def do_POST(self):
                requests.append(self.rfile.read(int(self.headers.get("Content-Length", 0))).decode())
                said = next(left, None)
                self.send_response(500 if said is None else 200)
                self.send_header("Content-Type", "application/x-ndjson")
                self.end_headers()
                message = {"role": "assistant", "content": said or ""}
                lines = [{"message": message, "done": False}, {"message": message | {"content": ""}, "done": True}]
                lines[1] |= {"done_reason": "stop", "prompt_eval_count": 0, "eval_count": 0}
                for line in lines:
                    self.wfile.write(json.dumps({"model": "recorded"} | line).encode() + b"\n")

            def log_message(self, *_):
                pass

        self.server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)

    def __enter__(self):
        threading.Thread(target=self.server.serve_forever, args=(0.05,), daemon=True).start()
        return self

    def __exit__(self, *_):
        self.server.shutdown()
        self.server.server_close()

    def settings(self):
        """What a configuration says that uses it."""
        return f'\n[ask]\nprovider = "ollama"\nmodel = "recorded"\nurl = "http://127.0.0.1:{self.server.server_port}"\n'


class Endpoints:
    """An example server as plain endpoints: POST /mcp/tools/NAME."""

    def __init__(self, variables, name, *arguments):
        self.name = name
        self.process = subprocess.Popen(
            ["tidegate", "example-server", name, "--posts", "0", *arguments],
            env=variables,
            stderr=subprocess.PIPE,
            text=True,
        )
        line = self.process.stderr.readline()
        if "http://" not in line:
            sys.exit(f"the example server {name} did not start: {line}")
        self.address = "http://" + line.split("http://")[1].strip()

    def close(self):
        self.process.terminate()
        self.process.stderr.close()
        self.process.wait()

    def settings(self):
        """What a configuration says that uses it."""
        with urllib.request.urlopen(self.address) as answer:
            tools = json.load(answer)
        text = ""
        for tool in tools:
            text += f"[[servers.{self.name}.tools]]\nname = {json.dumps(tool['name'])}\n"
            text += f"url = {json.dumps(self.address + '/' + tool['name'])}\nread-only = true\n"
            text += f"description = {json.dumps(tool['description'])}\ninput-schema = {inline(tool['inputSchema'])}\n"
        return text


def inline(value):
    """A JSON value as TOML writes it in one line."""
    if isinstance(value, dict):
        return "{ " + ", ".join(f"{json.dumps(name)} = {inline(one)}" for name, one in value.items()) + " }"
    if isinstance(value, list):
        return "[" + ", ".join(map(inline, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


class Chat:
    """A conversation over `/ws/chat`: the little of RFC 6455 that it takes."""

    def __init__(self, gate, token=None):
        host = gate.address.removeprefix("http://")
        name, port = host.split(":")
        self.socket = socket.create_connection((name, int(port)))
        lines = [
            "GET /ws/chat HTTP/1.1",
            f"Host: {host}",
            "Connection: Upgrade",
            "Upgrade: websocket",
            "Sec-WebSocket-Version: 13",
            f"Sec-WebSocket-Key: {base64.b64encode(os.urandom(16)).decode()}",
            *([f"Authorization: Bearer {token}"] if token else []),
        ]
        self.socket.sendall("\r\n".join([*lines, "", ""]).encode())
        self.stream = self.socket.makefile("rb")
        status = self.stream.readline().decode()
        if " 101 " not in status:
            sys.exit(f"/ws/chat: {status}")
        while self.stream.readline().strip():
            pass

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stream.close()
        self.socket.close()

    def send(self, message):
        # Clients mask what they send; nothing says that the mask has to change it.
        text = json.dumps(message).encode()
        length = struct.pack("!B", 0x80 | len(text)) if len(text) < 126 else struct.pack("!BH", 0x80 | 126, len(text))
        self.socket.sendall(b"\x81" + length + bytes(4) + text)

    def hear(self):
        while True:
            first, length = self.stream.read(2)
            if length in (126, 127):
                length = int.from_bytes(self.stream.read(2 if length == 126 else 8), "big")
            content = self.stream.read(length)
            if first & 0x0F == 1:
                return json.loads(content)

    def ask(self, **question):
        """The answer; what else is heard on the way is left out."""
        self.send({"type": "ask", **question})
        while (event := self.hear())["type"] not in ("answer", "error", "refused"):
            pass
        if event["type"] != "answer":
            sys.exit(f"/ws/chat: {event}")
        return event
