"""What the cases attack: gateways with honest and hostile servers, several owners, and secrets to keep."""

import json
import pathlib
import secrets
import socket
import sys
import threading
import time

from gateway import Gateway, Stdio
from suite import forms

HERE = pathlib.Path(__file__).resolve().parent

POLICY = """
[policy]
destructive = "ask"

[[policy.rules]]
name = "forbidden"
tools = "honest.forbidden"
action = "deny"
reason = "nobody may"

[[policy.rules]]
name = "small-payments"
tools = "honest.pay"
when = ["amount <= 100", "to in ['acme']"]
action = "allow"

[[policy.rules]]
name = "payments"
tools = "honest.pay"
action = "deny"

[[policy.rules]]
name = "signatures"
tools = ["honest.sign", "honest.stamp"]
action = "ask"

[[policy.rules]]
name = "few"
tools = "honest.limited"
action = "allow"
per-run = 3

[[policy.rules]]
name = "reading"
tools = "honest.query"
when = "sql reads"
action = "allow"

[[policy.rules]]
name = "not-reading"
tools = "honest.query"
action = "deny"

[[policy.rules]]
name = "reports"
tools = "honest.write"
when = "path under '/srv/reports'"
action = "allow"

[[policy.rules]]
name = "elsewhere"
tools = "honest.write"
action = "deny"

[[policy.flow]]
from = "honest.salary"
to = "honest.publish"
action = "deny"
"""

CLOSED = """
[[policy.rules]]
name = "closed"
tools = ["honest.$resource", "honest.$resources", "honest.$prompt", "honest.$prompts"]
action = "deny"
"""


class World:
    """Everything there is, made once."""

    def __init__(self, binary, folder, work):
        self.binary, self.folder, self.work = str(binary), pathlib.Path(folder), pathlib.Path(work)
        self.leaks = []
        self.lock = threading.Lock()
        self.env_name, self.env_token = "ATTACK_CANARY", self.canary()
        self.file_token, self.victim_token = self.canary(), self.canary()
        self.credentials = {name: self.canary() for name in ("honest", "poisoned", "hostile")}
        self.canary_file = self.work / "canary" / "host-file.txt"
        self.canary_file.parent.mkdir()
        self.canary_file.write_text(self.file_token)
        self.marker = self.work / "marker"
        self.notes_file = self.work / "notes"
        self.notes_file.touch()
        self.listener = Listener()
        host = [self.env_token, self.file_token, *self.credentials.values()]
        self.host_forms = {form for secret in host for form in forms(secret)}
        self.victim_forms = forms(self.victim_token)
        self.gateways, self.panics = [], {}
        self.stdio = None

    @staticmethod
    def canary():
        return f"CNRY{secrets.token_hex(12)}"

    def server(self, name, timeout="3s", **more):
        """The entry of one of the servers in this folder."""
        env = {
            f"{name.upper()}_CREDENTIAL": self.credentials[name],
            "ATTACK_NOTES": str(self.notes_file),
            "POISON_URL": f"http://127.0.0.1:{self.listener.port}/schema.json",
        }
        given = ", ".join(f'{key} = "{value}"' for key, value in env.items())
        lines = [
            f"[servers.{name}]",
            f'command = "{sys.executable}"',
            f'args = ["-B", "{HERE / "servers" / name}.py"]',
            f"env = {{ {given} }}",
            f'timeout = "{timeout}"',
            *(f"{key} = {value}" for key, value in more.items()),
        ]
        return "\n".join(lines) + "\n"

    def start(self):
        """Starts everything, and gives the victim something to be robbed of."""
        all_servers = (
            self.server("honest", trusted="true")
            + self.server("poisoned")
            + self.server("hostile", **{"max-answer-bytes": '"16MB"'})
        )
        self.main = Gateway(self, "main", all_servers + POLICY, "--level", "production", "--max-live", "8")
        for name, owner, scopes in (
            ("victim", "victim", "execute,read,approve"),
            ("mallory", "mallory", "execute,read"),
            ("reader", "mallory", "read"),
            ("runner", "mallory", "execute"),
            ("approver", "mallory", "approve"),
            ("boss", "mallory", "execute,read,approve"),
            ("admin", "root", "admin"),
        ):
            self.main.token(name, owner, scopes)
        direct = self.server("honest", trusted="true") + POLICY + CLOSED
        self.direct = Gateway(self, "direct", direct, "--mode", "direct")
        for name, owner, scopes in (
            ("mallory", "mallory", "execute,read"),
            ("reader", "mallory", "read"),
            ("boss", "mallory", "execute,read,approve"),
            ("victim", "victim", "execute,read"),
        ):
            self.direct.token(name, owner, scopes)
        tight = (
            "[serve]\ndurable = true\nmax-running = 1\nmax-queued = 4\nmax-queued-per-owner = 2\n"
            "max-sessions = 6\nbody-bytes = 65536\n"
        )
        self.tight = Gateway(self, "tight", tight)
        self.tight.token("mallory", "mallory", "execute,read")
        self.tight.token("victim", "victim", "execute,read")
        self.gateways = [self.main, self.direct, self.tight]
        for gateway in self.gateways:
            gateway.start()
        self.pids = {gateway.name: gateway.process.pid for gateway in self.gateways}
        self.plant()

    def plant(self):
        """The victim's session, file, runs and waiting approval, each with the victim's secret in it."""
        secret = self.victim_token
        program = (
            f"secret = {secret!r}\nopen('/workspace/diary.txt', 'w').write(secret)\n"
            "import matplotlib.pyplot as plt\nplt.plot([1, 2]); plt.title(secret)\nprint(secret)\nreturn secret"
        )
        made = self.main.ask("POST", "/api/v1/sessions", {}, "victim").json
        self.session = made["id"]
        done = self.main.execute(program, "victim", session=self.session, timeout=30)
        assert done.success, f"the victim's program failed: {done.raw[:500]}"
        self.run = done.run
        self.artifact = json.loads(done.raw)["artifacts"][0]["name"]
        waiting = self.main.ask(
            "POST",
            "/execute?async=true",
            {"code": f"from servers.honest import sign\nawait sign(paper={secret!r})\nreturn 1"},
            "victim",
        )
        self.waiting = waiting.json["run_id"]

    def scan(self, read, who, where):
        """Looks for secrets in what somebody was answered."""
        wanted = self.host_forms | (self.victim_forms if who != "victim" else set())
        for form in wanted:
            if form in read:
                with self.lock:
                    self.leaks.append(f"a secret was in the answer to {where}")
                return

    def notes(self):
        """What the servers wrote down so far."""
        return self.notes_file.read_text().splitlines()

    def check(self):
        """What must hold after any group of cases; what does not, in words."""
        self.leaks.clear()
        problems = []
        for gateway in self.gateways:
            if gateway.process.poll() is not None or gateway.process.pid != self.pids[gateway.name]:
                problems.append(f"the gateway {gateway.name} is gone")
                continue
            try:
                found = gateway.execute("return 6 * 7", "victim").value
                if found != 42:
                    problems.append(f"the gateway {gateway.name} answers {found!r} to 6 * 7")
            except (AssertionError, OSError, ValueError) as error:
                problems.append(f"the gateway {gateway.name} does not answer: {error}")
        if not problems:
            mine = self.main.execute("return secret", "victim", session=self.session)
            if mine.value != self.victim_token:
                problems.append(f"the victim's session is not what it was: {mine.raw[:300]}")
        for gateway in self.gateways:
            log = (self.folder / f"{gateway.name}.log").read_text(errors="replace")
            if log.count("panicked at") > self.panics.get(gateway.name, 0):
                self.panics[gateway.name] = log.count("panicked at")
                line = log.rsplit("panicked at", 1)[1].strip().splitlines()[0]
                problems.append(f"something in the gateway {gateway.name} panicked: {line}")
        if self.marker.exists():
            problems.append("a program wrote to a file of the host")
            self.marker.unlink()
        if self.listener.heard:
            problems.append(f"somebody connected to this machine: {self.listener.heard[:3]}")
            self.listener.heard.clear()
        return problems + self.leaks

    def over_stdio(self):
        """A `tidegate mcp`, the same for all cases."""
        if self.stdio is None or self.stdio.process.poll() is not None:
            self.stdio = Stdio(self.main)
        return self.stdio

    def stop(self):
        """Ends everything that was started."""
        if self.stdio:
            self.stdio.stop()
        for gateway in self.gateways:
            gateway.stop()
        self.listener.stop()


class Listener:
    """Counts who connects, or sends something, to one port of this machine."""

    def __init__(self):
        self.heard = []
        self.tcp = socket.socket()
        self.tcp.bind(("127.0.0.1", 0))
        self.tcp.listen()
        self.port = self.tcp.getsockname()[1]
        self.udp = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self.udp.bind(("127.0.0.1", self.port))
        for wait in (self._connections, self._datagrams):
            threading.Thread(target=wait, daemon=True).start()

    def _connections(self):
        while True:
            try:
                one, peer = self.tcp.accept()
            except OSError:
                return
            self.heard.append(f"TCP from {peer}")
            one.close()

    def _datagrams(self):
        while True:
            try:
                _, peer = self.udp.recvfrom(100)
            except OSError:
                return
            self.heard.append(f"UDP from {peer}")

    def stop(self):
        self.tcp.close()
        self.udp.close()


def until(condition, wait=10.0):
    """Waits for something to become true; whether it did."""
    end = time.monotonic() + wait
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False
