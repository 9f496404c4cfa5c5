"""Sessions and their files, approvals, tools, servers, and what is told of the gateway itself."""

import os
from datetime import UTC, datetime, timedelta

import pytest

from tidegate import ApiError, Tidegate, text_of, value_of

DEVICES = "from servers.data import get_devices\nreturn len(await get_devices()) > 0"


def test_a_session_keeps_variables_until_it_is_removed(gate: Tidegate) -> None:
    session = gate.execute("x = 20").session
    assert value_of(gate.execute("return x + 1", session=session)) == 21
    assert session in [one.id for one in gate.sessions.list()]
    gate.sessions.remove(session)
    with pytest.raises(ApiError) as raised:
        gate.sessions.read(session)
    assert raised.value.status in (404, 410)


def test_a_fork_goes_its_own_way(gate: Tidegate) -> None:
    session = gate.execute("x = 1").session
    fork = gate.sessions.fork(session).id
    assert gate.sessions.fork(session, agent="worker-1").agent == "worker-1"
    gate.execute("x = 2", session=fork)
    assert value_of(gate.execute("return x", session=session)) == 1


def test_a_session_is_frozen_exported_and_put_in(gate: Tidegate) -> None:
    session = gate.execute("x = 5").session
    assert gate.sessions.freeze(session).id == session
    copy = gate.sessions.put_in(gate.sessions.export(session)).id
    assert copy != session
    assert value_of(gate.execute("return x", session=copy)) == 5


def test_files_go_in_and_come_out_as_they_are(gate: Tidegate) -> None:
    session = gate.sessions.create().id
    content, name = b"a\x00\xff\r\n", "with blank/ü?#%.bin"
    gate.files.upload(session, name, content)
    gate.files.upload(session, "/workspace/text.txt", "grün")
    assert gate.files.download(session, name) == content
    assert value_of(gate.execute("return open('/workspace/text.txt').read()", session=session)) == "grün"
    assert sorted(one.path for one in gate.files.list(session)) == sorted([name, "text.txt"])
    gate.files.remove(session, name)
    assert [one.path for one in gate.files.list(session)] == ["text.txt"]
    with pytest.raises(ApiError) as raised:
        gate.files.download(session, name)
    assert (raised.value.status, raised.value.code) == (404, "unknown_file")


@pytest.mark.parametrize("path", ["", "..", "a/../b", "a//b"])
def test_a_path_that_leads_elsewhere_is_not_sent(gate: Tidegate, path: str) -> None:
    with pytest.raises(ValueError, match="not the name of anything"):
        gate.files.remove("s_any", path)


def test_a_call_is_approved_and_the_program_goes_on(gate: Tidegate) -> None:
    run = gate.execute(DEVICES)
    assert run.status == "waiting"
    assert "approve 1 of its calls (data.get_devices)" in text_of(run)
    [question] = gate.approvals.list(run.run_id)
    assert (question.tool, question.count, question.rule) == ("data.get_devices", 1, "devices")
    answered = gate.approvals.approve(run.run_id, items=[question.items[0].id])
    assert (answered.answered, answered.left) == ({"data.get_devices": 1}, 0)
    assert value_of(gate.runs.wait(run.run_id)) is True
    assert gate.approvals.list(run.run_id) == []


def test_a_call_is_denied_with_a_reason_for_the_program(gate: Tidegate) -> None:
    run = gate.execute(DEVICES)
    gate.approvals.deny(run.run_id, reason="not on a Sunday")
    ended = gate.runs.wait(run.run_id)
    assert ended.error is not None
    assert ended.error.type == "PolicyError"
    assert "not on a Sunday" in ended.error.message


def test_tools_are_found_listed_and_described(gate: Tidegate) -> None:
    found = gate.tools.search("devices of the house", detail_level="full", limit=1, server="data")
    assert [one.name for one in found.tools] == ["get_devices"]
    assert [one.server for one in gate.tools.list()] == ["data"]
    assert gate.tools.read("data", "get_devices").name == "get_devices"


def test_a_server_is_added_and_removed(gate: Tidegate) -> None:
    added = gate.servers.add("more", command=os.environ["TIDEGATE"], args=["example-server", "data"])
    assert added.name == "more"
    assert sorted(one.name for one in gate.servers.list()) == ["data", "more"]
    gate.servers.remove("more")
    assert [one.name for one in gate.servers.list()] == ["data"]


def test_the_gateway_tells_of_itself(gate: Tidegate) -> None:
    gate.execute("return 1")
    assert gate.health().status == "ok"
    assert gate.ready().status == "ready"
    assert gate.stats().total_executions > 0
    assert "tidegate_runs" in gate.metrics()
    report = gate.security_report(since=datetime.now(UTC) - timedelta(hours=1))
    assert report.runs > 0
    assert gate.request("GET", "/api/v1/tools", params={})["servers"][0]["server"] == "data"
