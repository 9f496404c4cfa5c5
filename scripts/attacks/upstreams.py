"""A server that answers with garbage, too much, too little or never: only the call that was made may fail."""

import json

from suite import add, case, lacks, one_of, same
from world import until

KIND = "malicious upstreams"

# The tool, what it does, and how a program's call of it may end: with this value, or with one of these errors.
FAILS = ("ToolError", "ServerError", "LimitExceeded", "TimeoutError", "MissingAnswer")
ANSWERS = {
    "garbage": ("writes garbage and never answers", None),
    "binary": ("writes bytes that are no text and never answers", None),
    "huge": ("answers with 80 MiB", None),
    "hugeline": ("writes a line of 100 MiB that is no message", None),
    "wrongid": ("answers a call that nobody made", None),
    "stringid": ("answers with the number of the call as a text", ...),
    "nullid": ("answers without a number", None),
    "twice": ("answers twice", "first"),
    "never": ("never answers", None),
    "exits": ("ends during the call", None),
    "half": ("ends in the middle of a message", None),
    "progress": ("tells of progress twenty thousand times and never answers", None),
    "logs": ("logs five thousand emergencies before it answers", "logged"),
    "both": ("answers with a result and an error", ...),
    "neither": ("answers with neither a result nor an error", None),
    "notresult": ("answers with a text for a result", ...),
    "deep": ("answers with five thousand levels", ...),
    "surrogate": ("answers with half a letter", ...),
    "infinity": ("answers with NaN", ...),
    "bad_parts": ("answers with parts that are none", ...),
    "badimage": ("answers with a picture that is none", ...),
    "many_parts": ("answers with fifty thousand parts", ...),
    "changes": ("says two thousand times that its tools changed", "changed"),
    "cancels": ("cancels the gateway's own call and answers it", ...),
    "pings": ("pings five hundred times before it answers", "pinged"),
    "stderr": ("writes two megabytes of complaints", "complained"),
    "keys": ("answers with keys that are there twice", ...),
    "bignumber": ("answers with a number of a hundred thousand digits", ...),
    "fake_wait": ("answers that somebody has to be asked", ...),
    "fake_task": ("answers with a task of somebody else", ...),
    "fake_error": ("answers with an error that is none", None),
}


def answer(tool, value):
    def attempt(world):
        code = (
            f"from servers.hostile import {tool}\ntry:\n    found = await {tool}()\n"
            "except Exception as error:\n    return ['raised', type(error).__name__, str(error)[:300]]\n"
            "return ['answered', repr(found)[:200]]"
        )
        done = world.main.execute(code, "mallory", timeout=25)
        if done.success is False:
            one_of(done.kind, FAILS, "the program's error")
        elif done.value[0] == "raised":
            assert isinstance(value, type(None) | type(...)), f"the call failed: {done.value}"
            one_of(done.value[1], FAILS, "the call's error")
        else:
            assert value is not None, f"the call is said to be answered: {done.value}"
            if value is not ...:
                same(done.value[1], repr(value), "the answer")
            lacks(done.value[1], "forged", "the answer")
        other = world.main.execute("from servers.honest import echo\nreturn await echo(a=1)", "mallory")
        same(other.value, {"echo": {"a": 1}}, "another server's answer")

    return attempt


for tool, (what, value) in ANSWERS.items():
    add(KIND, f"a server that {what} harms that call only", answer(tool, value))


def asking(tool, what):
    def attempt(world):
        before = len(world.notes())
        done = world.main.execute(f"from servers.hostile import {tool}\nreturn await {tool}()", "mallory", timeout=20)
        assert done.success and done.value == "asked", done.raw[:300]
        assert until(lambda: any("was answered" in note for note in world.notes()[before:]), 5), "it was not answered"
        told = next(note for note in world.notes()[before:] if "was answered" in note)
        lacks(told, "file:", "what it was told")
        assert '"code": -32' in told, f"it was given {told}"

    return attempt


for tool, what in {
    "roots": "which folders there are",
    "sampling": "what a model says",
    "elicitation": "what a person says",
    "unknown_request": "for an approval",
}.items():
    add(KIND, f"a server that asks {what} is refused", asking(tool, what))


@case(KIND, "a server's environment has its own credential and none of the gateway's secrets")
def environment(world):
    done = world.main.execute("from servers.hostile import leak\nreturn await leak()", "mallory")
    names = set(json.loads(done.value.split(": ", 1)[1]))
    lacks(names, world.env_name, "its environment")
    assert not any(name.startswith("TIDEGATE") for name in names), names
    lacks(names, "HONEST_CREDENTIAL", "its environment")


@case(KIND, "a server that ended is started again for the next call")
def again(world):
    world.main.execute("from servers.hostile import exits\nawait exits()", "mallory", timeout=10)
    done = world.main.execute("from servers.hostile import fine\nreturn await fine()", "mallory", timeout=20)
    same(done.value, "fine", "the next answer")


@case(KIND, "answers of a server are bounded also when ten programs ask at once")
def ten(world):
    import threading

    before, found = world.main.resident(), []

    def ask():
        found.append(
            world.main.execute("from servers.hostile import huge\nreturn await huge()", "mallory", timeout=20)
        )

    threads = [threading.Thread(target=ask) for _ in range(4)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(60)
    same([one.success for one in found], [False] * 4, "the ends")
    grown = world.main.resident() - before
    assert grown < 500 << 20, f"the gateway grew by {grown >> 20} MiB"


@case(KIND, "credentials of servers are in nothing that the gateway wrote")
def written(world):
    wanted = {name: value.encode() for name, value in world.credentials.items()}
    found = []
    for path in (world.main.folder / "data").rglob("*"):
        if path.is_file():
            content = path.read_bytes()
            found += [f"{name} in {path.name}" for name, value in wanted.items() if value in content]
    log = (world.folder / "main.log").read_bytes()
    found += [f"{name} in the log" for name, value in wanted.items() if value in log]
    same(found, [], "where credentials are")
