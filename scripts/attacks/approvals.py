"""Approvals that are forged, replayed, given by those who may not, or for something else than was shown."""

import hashlib

from suite import add, case, lacks, one_of, same
from world import until

KIND = "replayed and forged approvals"
ELICITS = {"elicitation": {}}


def ask(world, paper, who="mallory", code=None, session=None):
    """Starts a program that wants to sign; its run, once it waits."""
    code = code or f"from servers.honest import sign\nreturn await sign(paper={paper!r})"
    given = {"code": code, **({"session": session} if session else {})}
    run = world.main.ask("POST", "/execute?async=true", given, who).json["run_id"]
    assert until(lambda: waiting(world, run), 15), "nobody was asked"
    return run


def waiting(world, run, who="mallory"):
    """What of a run waits."""
    return world.main.ask("GET", f"/api/v1/approvals?run={run}", who=who).json["approvals"]


def answer(world, run, who="boss", **more):
    """Answers for a run."""
    return world.main.ask("POST", f"/api/v1/approvals/{run}", {"decision": "approve", **more}, who)


def signed(world, paper):
    """How often a paper was signed."""
    return sum(1 for note in world.notes() if note.startswith("honest.sign") and f'"{paper}"' in note)


def drop(world, run):
    """Ends a run that still waits."""
    world.main.ask("POST", f"/api/v1/runs/{run}/cancel", who="mallory")


@case(KIND, "an answer that comes twice is taken once, and the call is made once")
def twice(world):
    run = ask(world, "twice")
    same(answer(world, run).status, 200, "the first answer")
    same(answer(world, run).code, "nothing_to_approve", "the second answer")
    assert until(lambda: signed(world, "twice") == 1), "it was not signed"
    same(answer(world, run).code, "nothing_to_approve", "the third answer")
    same(signed(world, "twice"), 1, "how often it was signed")


@case(KIND, "ten answers at the same time are one answer")
def race(world):
    import threading

    run, found = ask(world, "race"), []
    threads = [threading.Thread(target=lambda: found.append(taken(answer(world, run)))) for _ in range(10)]
    for one in threads:
        one.start()
    for one in threads:
        one.join(30)
    same(sum(found), 1, f"how many calls were answered, {found}")
    assert until(lambda: signed(world, "race") == 1), "it was not signed"
    same(signed(world, "race"), 1, "how often it was signed")


@case(KIND, "an approval and a denial at the same time are one of both, and only one is said to be taken")
def contested(world):
    import threading

    run, found = ask(world, "contested"), []

    def say(decision):
        if taken(answer(world, run, decision=decision)):
            found.append(decision)

    threads = [threading.Thread(target=say, args=(decision,)) for decision in ("approve", "deny") * 4]
    for one in threads:
        one.start()
    for one in threads:
        one.join(30)
    same(len(found), 1, f"how many answers were taken, {found}")
    assert until(
        lambda: world.main.ask("GET", f"/api/v1/runs/{run}", who="mallory").json["status"] in ("succeeded", "failed")
    )
    same(signed(world, "contested"), found.count("approve"), "how often it was signed")


def taken(got):
    """How many calls an answer was about."""
    return sum(got.json["answered"].values()) if got.status == 200 else 0


@case(KIND, "an approval of one run is none for the same call of another run")
def another_run(world):
    first, second = ask(world, "pair"), ask(world, "pair")
    same(answer(world, first).status, 200, "the answer")
    assert until(lambda: signed(world, "pair") == 1), "it was not signed"
    same(len(waiting(world, second)), 1, "what waits of the other run")
    same(signed(world, "pair"), 1, "how often it was signed")
    drop(world, second)


@case(KIND, "an approval of one call is none for the next call with other arguments in the same run")
def another_call(world):
    code = "from servers.honest import sign\nawait sign(paper='shown')\nawait sign(paper='hidden')\nreturn 1"
    run = ask(world, "", code=code)
    same(answer(world, run).status, 200, "the answer")
    assert until(lambda: waiting(world, run) and signed(world, "shown") == 1), "the second call was not asked about"
    same(signed(world, "hidden"), 0, "how often the other was signed")
    drop(world, run)


@case(KIND, "an approval is used once: the same call again in the same run is asked about again")
def same_call(world):
    code = "from servers.honest import sign\nfor _ in range(3): await sign(paper='again')\nreturn 1"
    run = ask(world, "", code=code)
    same(answer(world, run).status, 200, "the answer")
    assert until(lambda: signed(world, "again") == 1 and waiting(world, run)), "the second call was not asked about"
    same(signed(world, "again"), 1, "how often it was signed")
    drop(world, run)


@case(KIND, "a program that changes the arguments after it asked has them sent as they were shown")
def changed(world):
    code = (
        "from servers.honest import sign\nimport asyncio\narguments = {'paper': 'as-shown'}\n"
        "call = asyncio.ensure_future(call_mcp_tool('honest', 'sign', arguments))\nawait asyncio.sleep(0.2)\n"
        "arguments['paper'] = 'as-changed'\nreturn await call"
    )
    run = ask(world, "", code=code)
    same(waiting(world, run)[0]["items"][0]["arguments"], {"paper": "as-shown"}, "what is shown")
    same(answer(world, run).status, 200, "the answer")
    assert until(lambda: signed(world, "as-shown") == 1), "it was not signed"
    same(signed(world, "as-changed"), 0, "how often the other was signed")


@case(KIND, "a denied call is not made, also when an approval follows")
def denied(world):
    run = ask(world, "denied")
    same(answer(world, run, decision="deny").status, 200, "the answer")
    same(answer(world, run).code, "nothing_to_approve", "the approval that follows")
    assert until(lambda: world.main.ask("GET", f"/api/v1/runs/{run}", who="mallory").json["status"] == "failed")
    same(signed(world, "denied"), 0, "how often it was signed")


@case(KIND, "an approval of a cancelled run brings nothing about")
def cancelled(world):
    run = ask(world, "cancelled")
    drop(world, run)
    assert until(lambda: not waiting(world, run)), "it still waits"
    one_of(answer(world, run).status, (404,), "the answer")
    same(signed(world, "cancelled"), 0, "how often it was signed")


@case(KIND, "whoever may only run programs cannot answer over REST")
def self_rest(world):
    run = ask(world, "self-rest")
    for who in ("mallory", "runner", "reader", "admin", None):
        one_of(answer(world, run, who).status, (401, 403), f"the answer of {who}")
    same(signed(world, "self-rest"), 0, "how often it was signed")
    drop(world, run)


@case(KIND, "whoever may approve for themselves cannot approve for another owner")
def another_owner(world):
    for who in ("boss", "approver"):
        same(answer(world, world.waiting, who).code, "nothing_to_approve", f"the answer of {who}")
    same(len(waiting(world, world.waiting, "victim")), 1, "what waits of the victim's run")
    same(signed(world, world.victim_token), 0, "how often it was signed")


@case(KIND, "somebody without a token on this machine cannot approve where there are tokens")
def nobody(world):
    run = ask(world, "nobody")
    one_of(answer(world, run, None).status, (401, 403, 404), "the answer")
    local = world.main.ask(
        "POST", "/execute?async=true", {"code": "from servers.honest import sign\nreturn await sign(paper='local')"}
    ).json["run_id"]
    assert until(lambda: world.main.ask("GET", f"/api/v1/approvals?run={local}").json["approvals"]), (
        "nobody was asked"
    )
    one_of(answer(world, local, None).status, (401, 403), "the answer to its own run")
    same(signed(world, "local") + signed(world, "nobody"), 0, "how often it was signed")
    drop(world, run)
    world.main.ask("POST", f"/api/v1/runs/{local}/cancel")


def shown(world, run, who="mallory"):
    """A state as the gateway would make it, of what anybody who may look can see."""
    ids = sorted(item["id"] for group in waiting(world, run, who) for item in group["items"])
    return ids


def forged_states(ids):
    """States that somebody might make up."""
    words = "".join(ids)
    yield from (
        hashlib.sha256(words.encode()).hexdigest()[:32],
        hashlib.blake2s(words.encode()).hexdigest()[:32],
        "0" * 32,
        "",
        "*",
    )


ACCEPT = {"approval": {"action": "accept", "content": {"decision": "approve"}}}


@case(KIND, "whoever may only run programs cannot answer with a forged state over MCP")
def self_mcp(world):
    run = ask(world, "self-mcp")
    for digest in forged_states(shown(world, run)):
        params = {
            "name": "execute_python",
            "arguments": {"code": "return 1"},
            "requestState": f"{run}.{digest}",
            "inputResponses": ACCEPT,
        }
        try:
            world.main.modern("tools/call", params, "mallory", ELICITS, wait=1.5)
        except OSError:
            pass  # It waits with the run, which still waits.
    same(signed(world, "self-mcp"), 0, "how often it was signed")
    same(len(waiting(world, run)), 1, "what waits")
    drop(world, run)


@case(KIND, "a client that may only run programs is not asked, whatever it says it knows")
def not_asked(world):
    params = {
        "name": "execute_python",
        "arguments": {"code": "from servers.honest import sign\nawait sign(paper='unasked')"},
    }
    told = world.main.modern("tools/call", params, "mallory", ELICITS)
    lacks(str(told), "input_required", "the answer")
    lacks(str(told), "inputRequests", "the answer")
    drop(world, told["result"]["structuredContent"]["run_id"])
    same(signed(world, "unasked"), 0, "how often it was signed")


def asked_over_mcp(world, paper, who="boss"):
    """A question as a client of the newest revision gets it."""
    params = {
        "name": "execute_python",
        "arguments": {"code": f"from servers.honest import sign\nreturn await sign(paper={paper!r})"},
    }
    told = world.main.modern("tools/call", params, who, ELICITS)["result"]
    same(told.get("resultType"), "input_required", "the answer")
    return params, told["requestState"]


@case(KIND, "an answer over MCP that is replayed does not sign again")
def replayed(world):
    params, state = asked_over_mcp(world, "replayed")
    given = {**params, "requestState": state, "inputResponses": ACCEPT}
    first = world.main.modern("tools/call", given, "boss", ELICITS)["result"]
    same(first["structuredContent"]["success"], True, "the result")
    for _ in range(3):
        world.main.modern("tools/call", given, "boss", ELICITS)
    same(signed(world, "replayed"), 1, "how often it was signed")


@case(KIND, "another owner's state over MCP answers nothing and shows nothing")
def stolen(world):
    _, state = asked_over_mcp(world, world.victim_token + "-mcp", "victim")
    given = {
        "name": "execute_python",
        "arguments": {"code": "return 'mine'"},
        "requestState": state,
        "inputResponses": ACCEPT,
    }
    told = world.main.modern("tools/call", given, "boss", ELICITS)["result"]
    one_of((told.get("structuredContent") or {}).get("return_value"), ("mine", None), "the value")
    same(signed(world, world.victim_token + "-mcp"), 0, "how often it was signed")
    world.main.ask("POST", f"/api/v1/runs/{state.split('.')[0]}/cancel", who="victim")


@case(KIND, "a state of one run with the answer for another approves neither")
def swapped(world):
    _, first = asked_over_mcp(world, "swap-one")
    _, second = asked_over_mcp(world, "swap-two")
    mixed = first.split(".")[0] + "." + second.split(".")[1]
    given = {
        "name": "execute_python",
        "arguments": {"code": "return 1"},
        "requestState": mixed,
        "inputResponses": ACCEPT,
    }
    try:
        world.main.modern("tools/call", given, "boss", ELICITS, wait=3)
    except OSError:
        pass
    same(signed(world, "swap-one") + signed(world, "swap-two"), 0, "how often they were signed")
    for state in (first, second):
        drop(world, state.split(".")[0])


ANSWERS = {
    "a decision that is none": {"approval": {"action": "accept", "content": {"decision": "approveall-please"}}},
    "no decision": {"approval": {"action": "accept", "content": {}}},
    "a decision that was declined": {"approval": {"action": "decline", "content": {"decision": "approve"}}},
    "a decision that is a list": {"approval": {"action": "accept", "content": {"decision": ["approve"]}}},
    "an action in capitals": {"approval": {"action": "ACCEPT", "content": {"decision": "approve"}}},
}


def not_an_approval(name, given):
    def attempt(world):
        paper = name.replace(" ", "-")
        params, state = asked_over_mcp(world, paper)
        try:
            world.main.modern(
                "tools/call", {**params, "requestState": state, "inputResponses": given}, "boss", ELICITS, wait=8
            )
        except OSError:
            pass
        same(signed(world, paper), 0, "how often it was signed")
        drop(world, state.split(".")[0])

    return attempt


for name, given in ANSWERS.items():
    add(KIND, f"over MCP, {name} approves nothing", not_an_approval(name, given))

BODIES = {
    "a decision that is none": {"decision": "maybe"},
    "a decision in capitals": {"decision": "APPROVE"},
    "no decision": {},
    "a field that is none": {"decision": "approve", "force": True},
    "items that are not there": {"decision": "approve", "items": ["x", "../y"]},
    "another tool": {"decision": "approve", "tool": "honest.wipe"},
    "conditions that are none": {"decision": "approve", "remember": ["__import__('os')"]},
    "items of another type": {"decision": "approve", "items": {"a": 1}},
    "a decision that is true": {"decision": True},
}


def refused(name, body):
    def attempt(world):
        paper = "rest-" + name.replace(" ", "-")
        run = ask(world, paper)
        got = world.main.ask("POST", f"/api/v1/approvals/{run}", body, "boss")
        one_of(got.status, (200, 400, 404, 422), "the status")
        same(taken(got), 0, "how many calls were answered")
        same(len(waiting(world, run)), 1, "what waits")
        same(signed(world, paper), 0, "how often it was signed")
        drop(world, run)

    return attempt


for name, body in BODIES.items():
    add(KIND, f"over REST, {name} approves nothing", refused(name, body))


@case(KIND, "a decision given twice in one body is refused, or the last one as everywhere in JSON")
def doubled(world):
    run = ask(world, "doubled")
    body = b'{"decision": "approve", "decision": "deny"}'
    world.main.ask("POST", f"/api/v1/approvals/{run}", body, "boss", {"Content-Type": "application/json"})
    same(signed(world, "doubled"), 0, "how often it was signed")
    drop(world, run)


@case(KIND, "approving one tool's call for the session grants nothing to another tool that waits beside it")
def beside(world):
    session = world.main.ask("POST", "/api/v1/sessions", {}, "mallory").json["id"]
    code = (
        "import asyncio\nfrom servers.honest import sign, wipe\n"
        "await asyncio.gather(sign(paper='beside'), wipe(what='beside'), return_exceptions=True)\nreturn 1"
    )
    run = ask(world, "", code=code, session=session)
    assert until(lambda: len(waiting(world, run)) == 2), "the other call was not asked about"
    item = next(group["items"][0]["id"] for group in waiting(world, run) if group["tool"] == "honest.sign")
    same(answer(world, run, items=[item], remember=[]).status, 200, "the answer")
    assert until(lambda: signed(world, "beside") == 1), "it was not signed"
    answer(world, run, decision="deny")
    before = len(world.notes())
    later = world.main.ask(
        "POST",
        "/execute?async=true",
        {"code": "from servers.honest import wipe\nawait wipe(what='later')", "session": session},
        "mallory",
    ).json["run_id"]
    until(lambda: waiting(world, later) or any("wipe" in note for note in world.notes()[before:]), 10)
    drop(world, later)
    wiped = [
        note for note in world.notes() if note.startswith("honest.wipe") and ("beside" in note or "later" in note)
    ]
    same(wiped, [], "what was wiped though nobody approved it")


@case(KIND, "approving no call at all for the session grants nothing")
def no_items(world):
    session = world.main.ask("POST", "/api/v1/sessions", {}, "mallory").json["id"]
    run = ask(world, "no-items", session=session)
    answer(world, run, items=[], remember=[])
    until(lambda: signed(world, "no-items"), 2)
    drop(world, run)
    same(signed(world, "no-items"), 0, "how often it was signed")


@case(KIND, "long arguments in letters of many bytes are told to a client without breaking its request")
def long_arguments(world):
    for start in range(4):
        code = (
            f"fields = {{'{'k' * (start + 1)}' + str(i): chr(0x1F600) * 200 for i in range(60)}}\n"
            "await call_mcp_tool('honest', 'stamp', fields)"
        )
        told = world.main.tool("execute_python", {"code": code}, "mallory", wait=8)
        assert "result" in told, told
        drop(world, told["result"]["structuredContent"]["run_id"])


@case(KIND, "what is remembered for a session holds for that session only, and only as its conditions say")
def remembered(world):
    session = world.main.ask("POST", "/api/v1/sessions", {}, "mallory").json["id"]
    run = ask(world, "remember-one", session=session)
    same(answer(world, run, remember=["paper == 'remember-two'"]).status, 200, "the answer")
    assert until(lambda: signed(world, "remember-one") == 1), "it was not signed"
    code = "from servers.honest import sign\nreturn await sign(paper='remember-two')"
    assert world.main.execute(code, "mallory", session=session, timeout=15).success, "it was not remembered"
    run = ask(world, "remember-three", session=session)
    same(signed(world, "remember-three"), 0, "how often the other was signed")
    drop(world, run)
    run = ask(world, "remember-two")
    same(signed(world, "remember-two"), 1, "how often it was signed")
    drop(world, run)


@case(KIND, "an approval of a call that is passed through directly is used once, and for these arguments only")
def directly(world):
    def wiped(what):
        told = world.direct.tool("wipe", {"what": what}, "mallory")
        return not told["result"].get("isError")

    assert not wiped("direct"), "it was called without an approval"
    listed = world.direct.ask("GET", "/api/v1/approvals", who="boss").json["approvals"]
    run = next(group["run_id"] for group in listed if group["tool"] == "honest.wipe")
    got = world.direct.ask("POST", f"/api/v1/approvals/{run}", {"decision": "approve"}, "boss")
    same(got.status, 200, "the answer")
    assert not wiped("something-else"), "another call was made with it"
    assert wiped("direct"), "it was approved, and not made"
    assert not wiped("direct"), "it was made twice"


@case(KIND, "an approval is no way to run a program: the page for people changes nothing by being looked at")
def looked_at(world):
    run = ask(world, "looked-at")
    for path in (f"/approvals/{run}", f"/approvals/{run}?decision=approve", "/approvals?decision=approve"):
        page = world.main.ask("GET", path)
        same(page.status, 200, "the page")
        lacks(page.text, "looked-at", "the page, which anybody may fetch")
    same(world.main.ask("GET", f"/api/v1/approvals/{run}?decision=approve", who="boss").status, 405, "a GET")
    same(signed(world, "looked-at"), 0, "how often it was signed")
    drop(world, run)
