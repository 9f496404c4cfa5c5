"""What the client does about answers that a gateway gives rarely, and about those of something else."""

import json
from collections.abc import Callable

import httpx
import pytest

from tidegate import (
    Anew,
    ApiError,
    ConnectionFailed,
    Ended,
    OtherEvent,
    Output,
    RunEvent,
    Step,
    Tidegate,
    Unanswered,
    UnexpectedAnswer,
    Words,
)
from tidegate._sse import Decoder

URL = "http://gate.example"
BUSY = {"error": {"code": "too_many_requests", "message": "as many wait as may", "hint": "later"}}
END = {
    "run_id": "r_1",
    "session": "s_1",
    "status": "succeeded",
    "success": True,
    "return_value": 1,
    "stdout": "",
    "stderr": "",
    "error": None,
    "execution_time_ms": 1,
    "created_at": "2026-01-05T00:00:00Z",
    "started_at": None,
    "finished_at": None,
    "agent": "",
    "language": "python",
    "guidance": "2",
    "calls": [],
    "tools_called": [],
    "artifacts": [],
    "anomalies": [],
    "tokens_saved": 0,
    "usage": {
        "calls": 0,
        "cpu_ms": 0,
        "memory_bytes": 0,
        "stderr_bytes": 0,
        "stdout_bytes": 0,
        "wall_ms": 0,
        "workspace_bytes": 0,
    },
    "a_field_of_the_future": True,
}


def gate(answer: Callable[[httpx.Request], httpx.Response], retries: int = 0, token: str | None = None) -> Tidegate:
    return Tidegate(
        URL, http=httpx.Client(transport=httpx.MockTransport(answer)), retries=retries, longest_wait=5, token=token
    )


def test_a_busy_gateway_is_asked_again_as_often_as_was_said() -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append(request.url.path)
        if len(asked) < 3:
            return httpx.Response(429, json=BUSY, headers={"Retry-After": "0"})
        return httpx.Response(200, json={"sessions": []})

    assert gate(answer, retries=2).sessions.list() == []
    asked.clear()
    with pytest.raises(ApiError, match="later") as raised:
        gate(answer, retries=1).sessions.list()
    assert (len(asked), raised.value.code, raised.value.retry_after) == (2, "too_many_requests", 0.0)


def test_a_stream_is_asked_for_again_as_well() -> None:
    asked = []

    def answer(_: httpx.Request) -> httpx.Response:
        asked.append(1)
        if len(asked) == 1:
            return httpx.Response(503, json=BUSY, headers={"Retry-After": "0"})
        return httpx.Response(200, text=f"event: end\ndata: {json.dumps(END)}\n\n")

    with gate(answer, retries=1).stream("return 1") as events:
        assert [type(event) for event in events] == [Ended]


def test_what_should_wait_longer_than_was_said_is_not_asked_again() -> None:
    def answer(_: httpx.Request) -> httpx.Response:
        return httpx.Response(503, json=BUSY, headers={"Retry-After": "3600"})

    with pytest.raises(ApiError) as raised:
        gate(answer, retries=9).sessions.list()
    assert raised.value.retry_after == 3600


def test_a_stream_that_is_cut_goes_on_where_it_was() -> None:
    seen: list[str | None] = []

    def answer(request: httpx.Request) -> httpx.Response:
        seen.append(request.headers.get("last-event-id"))
        if len(seen) == 1:
            return httpx.Response(200, text='id: 4\nevent: output\ndata: {"stream": "stdout", "text": "a"}\n\n')
        return httpx.Response(200, text=f"id: 5\nevent: new\ndata: 7\n\nid: 6\nevent: end\ndata: {json.dumps(END)}\n\n")

    told: list[RunEvent] = list(gate(answer).runs.follow("r_1"))
    assert told[:2] == [Output("stdout", "a"), OtherEvent("new", 7)]
    assert isinstance(told[2], Ended)
    assert seen == [None, "4"]


def test_a_program_whose_stream_is_cut_is_not_run_again() -> None:
    asked = []

    def answer(_: httpx.Request) -> httpx.Response:
        asked.append(1)
        return httpx.Response(200, text='event: output\ndata: {"stream": "stdout", "text": "a"}\n\n')

    with pytest.raises(ConnectionFailed, match="before the run did"):
        list(gate(answer).stream("return 1"))
    assert len(asked) == 1


def test_a_redirect_is_not_followed_with_the_token() -> None:
    asked = []

    def answer(request: httpx.Request) -> httpx.Response:
        asked.append((request.url.host, request.headers["authorization"]))
        return httpx.Response(307, headers={"Location": "http://elsewhere.example/"})

    with pytest.raises(ApiError, match="307"):
        gate(answer, token="tgt_x").sessions.list()
    assert asked == [("gate.example", "Bearer tgt_x")]


@pytest.mark.parametrize("body", ["<html>", "[]", "{}", '{"sessions": 1}', '{"sessions": [{}]}'])
def test_what_is_no_gateway_s_answer_is_said_to_be_none(body: str) -> None:
    with pytest.raises(UnexpectedAnswer):
        gate(lambda _: httpx.Response(200, text=body)).sessions.list()


def test_a_gateway_that_is_not_there_is_said_to_be_away() -> None:
    with Tidegate("http://127.0.0.1:1") as away, pytest.raises(ConnectionFailed):
        away.health()


def test_a_gateway_that_cannot_run_programs_says_how_it_is() -> None:
    health = {"status": "not_ready", "version": "1", "protocol": "1"}
    told = gate(lambda _: httpx.Response(503, json=health)).ready()
    assert told.status == "not_ready"


def test_a_token_is_not_shown() -> None:
    client = Tidegate(URL, token="tgt_secret")
    assert "tgt_secret" not in f"{client!r} {client.runs!r}"
    with pytest.raises(ValueError, match="printable ASCII") as raised:
        Tidegate(URL, token="tgt_secret\n")
    assert "tgt_secret" not in str(raised.value)


@pytest.mark.parametrize("url", ["gate.example", "ftp://gate.example", "http://me:word@gate.example"])
def test_an_address_that_is_none_of_a_gateway_is_refused(url: str) -> None:
    with pytest.raises(ValueError, match="the address of a gateway"):
        Tidegate(url)


@pytest.mark.parametrize("size", [1, 2, 3, 1000])
def test_events_are_the_same_in_whatever_pieces_they_come(size: int) -> None:
    stream = (
        ": still there\r\n\r\nid: 1\r\nevent: a\r\ndata: ü\u2028\r\ndata: x\r\n\r\ndata: y\n\n\revent: z\r\r".encode()
    )
    decoder = Decoder()
    messages = [one for at in range(0, len(stream), size) for one in decoder.feed(stream[at : at + size])]
    assert [(one.event, one.data, one.id) for one in messages] == [("a", "ü\u2028\nx", "1"), ("message", "y", "1")]


def asked(*events: tuple[str, dict[str, object]]) -> list[object]:
    """What a client tells of an answer that comes about like this."""
    text = "".join(f"event: {name}\ndata: {json.dumps({'type': name, **data})}\n\n" for name, data in events)

    def answer(request: httpx.Request) -> httpx.Response:
        assert (request.url.path, request.url.query) == ("/api/v1/ask", b"stream=true")
        assert json.loads(request.content) == {"question": "How much?", "user": "anna"}
        return httpx.Response(200, text=text, headers={"Content-Type": "text/event-stream"})

    with (
        Tidegate(URL, http=httpx.Client(transport=httpx.MockTransport(answer))) as gate,
        gate.ask_stream("How much?", user="anna") as events_,
    ):
        return list(events_)


def test_what_a_newer_gateway_tells_of_a_question_is_a_step() -> None:
    told = asked(
        ("pondered", {"for": 3}),
        ("token", {"text": "It"}),
        ("anew", {}),
        ("error", {"code": "budget_exceeded", "message": "no more"}),
    )
    assert told == [Step("pondered", {"for": 3}), Words("It"), Anew(), Unanswered("budget_exceeded", "no more")]


def test_a_question_whose_stream_is_cut_is_not_asked_again() -> None:
    with pytest.raises(ConnectionFailed, match="before the answer came"):
        asked(("token", {"text": "It"}))
