"""Programs: run, followed, started and come back for."""

import time

import pytest
from gateway import Gateway

from tidegate import (
    ApiError,
    CallEnded,
    CallStarted,
    Ended,
    Output,
    ProgramFailed,
    StatusChanged,
    Tidegate,
    text_of,
    value_of,
)

HISTORY = """
from servers.data import query_device_history
return len(await query_device_history("power_00", limit=3)) > 0
"""
CONDITION = {"field": "n", "operator": ">", "value": 1}
FOREVER = "import asyncio\nprint('begun')\nawait asyncio.sleep(3600)"


def test_a_program_gives_its_value_and_what_it_printed(gate: Tidegate) -> None:
    run = gate.execute("print('seen')\nreturn {'sum': n + 1}", context={"n": 41})
    assert value_of(run) == {"sum": 42}
    assert (run.status, run.stdout) == ("succeeded", "seen\n")
    assert text_of(run).startswith('{"sum": 42}\n\nstdout:\nseen')


def test_a_program_that_fails_is_an_answer(gate: Tidegate) -> None:
    run = gate.execute("return {}[name]", context={"name": "missing"})
    assert run.error is not None
    assert (run.success, run.status, run.error.type) == (False, "failed", "KeyError")
    assert text_of(run).startswith("KeyError at line 1: 'missing'")
    with pytest.raises(ProgramFailed, match="KeyError") as raised:
        value_of(run)
    assert raised.value.run == run


def test_a_stream_tells_what_happens_in_its_order(gate: Tidegate) -> None:
    with gate.stream("print('one\\u2028two')" + HISTORY) as events:
        told = list(events)
    assert isinstance(told[0], StatusChanged)
    assert [one.text for one in told if isinstance(one, Output)] == ["one\u2028two\n"]
    started = next(one for one in told if isinstance(one, CallStarted))
    ended = next(one for one in told if isinstance(one, CallEnded))
    assert (started.call.tool, ended.call.ok) == ("query_device_history", True)
    assert told.index(started) < told.index(ended)
    assert isinstance(told[-1], Ended)
    assert value_of(told[-1].run) is True


def test_closing_a_stream_cancels_its_program(gate: Tidegate) -> None:
    with gate.stream(FOREVER) as events:
        first = next(iter(events))
        assert isinstance(first, StatusChanged)
    assert gate.runs.wait(first.run_id).status == "cancelled"


def test_a_program_that_runs_by_itself_is_followed_from_its_beginning(gate: Tidegate) -> None:
    accepted = gate.start("print('early')\nreturn 7")
    assert value_of(gate.runs.wait(accepted.run_id)) == 7
    with gate.runs.follow(accepted.run_id) as events:
        last = list(events)[-1]
    assert isinstance(last, Ended)
    assert last.run.run_id == accepted.run_id


def test_leaving_a_run_that_is_followed_does_not_end_it(gate: Tidegate) -> None:
    accepted = gate.start(FOREVER)
    with gate.runs.follow(accepted.run_id) as events:
        assert any(isinstance(one, Output) and one.text == "begun\n" for one in events)
    assert gate.runs.read(accepted.run_id).status in ("running", "waiting")
    assert gate.runs.cancel(accepted.run_id).cancelled
    run = gate.runs.wait(accepted.run_id)
    assert (run.status, run.success) == ("cancelled", False)


def test_runs_are_listed_over_all_pages(gate: Tidegate) -> None:
    session = gate.sessions.create().id
    wanted: list[str] = []
    for number in range(3):
        wanted.insert(0, gate.execute(f"return {number}", session=session).run_id)
        # Pages are divided by the moment a run was made.
        time.sleep(0.01)
    page = gate.runs.page(session=session, limit=2)
    assert ([run.run_id for run in page.runs], page.next_before is not None) == (wanted[:2], True)
    assert [run.run_id for run in gate.runs.list(session=session, page_size=1)] == wanted
    assert [run.run_id for run in gate.runs.list(session=session, status="failed")] == []


def test_what_was_cut_is_read_in_parts(gate: Tidegate) -> None:
    run = gate.execute("return {'rows': list(range(5000))}", max_output_tokens=100)
    assert run.truncated is not None
    assert "All of it is in" in text_of(run)
    part = gate.runs.result(run.run_id, pointer="/rows", offset=4998, limit=10)
    assert part.value == [4998, 4999]


def test_a_picture_of_a_run_can_be_read(gate: Tidegate) -> None:
    run = gate.execute("import matplotlib.pyplot as plt\nplt.plot([1, 2])")
    [picture] = run.artifacts
    assert gate.runs.artifact(run.run_id, picture.name).startswith(b"\x89PNG")


def test_a_run_that_waits_leaves_and_comes_back(gate: Tidegate) -> None:
    run = gate.execute("from servers.data import get_devices\nreturn len(await get_devices()) > 0")
    assert run.status == "waiting"
    exported = gate.runs.take_out(run.run_id)
    back = gate.runs.put_in(exported, again=True)
    # What it asks for is asked again once it goes on here.
    until = time.monotonic() + 30
    while not gate.approvals.list(back.run_id):
        assert time.monotonic() < until
        time.sleep(0.02)
    assert gate.approvals.approve(back.run_id).left == 0
    assert value_of(gate.runs.wait(back.run_id)) is True


def test_what_a_program_could_do_is_said_without_running_it(gate: Tidegate) -> None:
    validated = gate.validate("eval('1')")
    assert [one.rule for one in validated.violations] != []


def test_rows_are_analyzed_without_a_program(gate: Tidegate) -> None:
    run = gate.analyze("filter", [{"n": 1}, {"n": 2}], parameters={"conditions": [CONDITION]})
    assert value_of(run)["result"] == [{"n": 2}]


def test_what_a_token_may_not_do_is_an_error_with_a_code(gateway: Gateway) -> None:
    with Tidegate(gateway.url, token=gateway.token("agent", "execute")) as agent:
        run = agent.execute("from servers.data import get_devices\nreturn await get_devices()")
        assert run.status == "waiting"
        with pytest.raises(ApiError) as raised:
            agent.approvals.approve(run.run_id)
        agent.runs.cancel(run.run_id)
    assert (raised.value.status, raised.value.code) == (403, "scope_missing")
