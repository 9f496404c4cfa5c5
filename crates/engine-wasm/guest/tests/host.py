"""A host for the runtime, natively: `python3 host.py < requests`.

Reads one JSON object a line, `{"source": ..., "root": ..., "restart": ...}`, and writes one
line for each with how the program ended: with `root` as /servers, and in a session of its
own after a restart. Tools answer as those of the contract suite do; `slow` only once the
program rests. Runs in a process of its own, because the runtime takes
over asyncio and the standard streams.
"""

import functools
import io
import json
import os
import pathlib
import sys
import time
import types

GUEST = pathlib.Path(__file__).resolve().parent.parent


class Host:
    """The other side of the door."""

    def __init__(self):
        self.input = None
        self.done = None
        self.sent = []  # the tools of each message that made calls
        self.parked = []
        self.resting = False

    def call(self, message):
        letter, body = message[:1], message[1:].decode()
        if letter == b"n":
            return json.dumps(self.input).encode()
        if letter == b"c":
            head, _, arguments = body.partition("\n")
            call_id, _, name = head.partition(" ")
            return self._one(int(call_id), json.loads(name), json.loads(arguments))
        if letter in (b"w", b"h"):
            return self._several(json.loads(body), letter == b"h")
        if letter == b"d":
            self.done = json.loads(body)
        return b""

    def _one(self, call_id, name, arguments):
        call = (call_id, name, arguments)
        if _is_slow(call):
            self.parked.append(call)
            return b""
        return json.dumps(self._answers([call])[0][1:]).encode()

    def _several(self, wait, holding):
        new = [(one["id"], one["name"], one["arguments"]) for one in wait["calls"]]
        self.parked = [one for one in self.parked + new if one[0] not in wait["dropped"]]
        quick = [one for one in self.parked if not _is_slow(one)]
        soonest = min([one[2].get("arguments", {}).get("ms", 0) / 1000 for one in self.parked], default=60)
        if not quick and wait["wake"] is not None and wait["wake"] < soonest:
            time.sleep(wait["wake"])
            return b"[]"
        if not quick and not holding:
            self.resting = True
        if not quick:
            return b""
        self.parked = [one for one in self.parked if _is_slow(one)]
        return json.dumps(self._answers(quick)).encode()

    def results(self):
        """Answers to what the program rests for."""
        ready, self.parked = self.parked, []
        return self._answers(ready)

    def _answers(self, calls):
        self.sent.append([one[2].get("tool", one[1]) for one in calls])
        return [[one[0], *_answer(one[1], one[2])] for one in calls]


def _is_slow(call):
    return call[1] == "$call" and call[2]["tool"] == "slow"


def _answer(name, asked):
    if name == "$search" and asked["query"] == "what a dead server has":
        dead = {"server": "files", "state": "failed", "since": "2026-11-18T07:00:00.000Z", "reason": "no such program"}
        return [True, {"tools": [], "matching": 0, "total": 8, "missing": [dead]}]
    if name == "$search":
        return [True, {"tools": [{"name": "get_devices", "server": "demo"}], "matching": 3, "total": 8}]
    if name != "$call":
        return [True, {"v": {"asked": name, "with": asked}}]
    tool, given = asked["tool"], asked["arguments"]
    if tool == "fail":
        return [False, {"kind": given.get("kind", "ToolError"), "message": given["message"]}]
    if tool == "answer":
        return [True, given["answer"]]
    if tool == "get_devices":
        return [True, {"v": {"count": 2, "devices": [{"name": "lamp", "on": True}, {"name": "door", "on": False}]}}]
    if tool in ("echo", "slow", "search", "anything"):
        return [True, {"v": given}]
    if tool in ("createIssue", "getDocument", "get_current_time"):
        return [True, {"v": asked}]
    return [False, {"kind": "UnknownTool", "message": f"there is no tool called {tool!r}"}]


def _describe(describe, error, sources, own_prefix):
    """In a guest our files have names that begin so; here they are in a folder."""
    return describe(error, sources, str(GUEST))


def main():
    host = Host()
    door = types.ModuleType("_host")
    door.call = host.call
    sys.modules["_host"] = door
    package = types.ModuleType("_tidegate")
    package.__path__ = [str(GUEST)]
    sys.modules["_tidegate"] = package
    out = os.fdopen(os.dup(1), "w")
    from _tidegate import errors, runtime, servers

    errors.describe = functools.partial(_describe, errors.describe)
    for line in sys.stdin:
        request = json.loads(line)
        servers.ROOT = request.pop("root")
        if request.pop("restart"):
            runtime.current = runtime.Runtime()
        host.done, host.sent, host.parked = None, [], []
        run = {"source": None, "context": {}, "recursion": 1000, "imports": None, "value_bytes": 1 << 20}
        host.input = {"run": {**run, **request}}
        sys.stdout, sys.stderr = io.StringIO(), io.StringIO()
        while True:
            host.resting = False
            runtime.current.step()
            if not host.resting:
                break
            host.input = {"results": host.results()}
        said = [stream.getvalue() for stream in (sys.stdout, sys.stderr)]
        ended = {**(host.done or {}), "sent": host.sent, "stdout": said[0], "stderr": said[1]}
        out.write(json.dumps(ended) + "\n")
        out.flush()


if __name__ == "__main__":
    main()
