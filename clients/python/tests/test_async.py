"""The client that is awaited: the other one is made of it."""

import asyncio
from collections.abc import AsyncIterator, Awaitable, Callable

import pytest
from gateway import Gateway

from tidegate import AsyncTidegate, Ended, Output, StatusChanged, TimedOut, Words, value_of
from tidegate.models import Answer

DEVICES = "from servers.data import get_devices\nreturn len(await get_devices()) > 0"
FOREVER = "import asyncio\nawait asyncio.sleep(3600)"


@pytest.fixture
def awaited(gateway: Gateway, token: str) -> Callable[[Callable[[AsyncTidegate], Awaitable[None]]], None]:
    def run(body: Callable[[AsyncTidegate], Awaitable[None]]) -> None:
        async def all_of_it() -> None:
            async with AsyncTidegate(gateway.url, token=token) as gate:
                await body(gate)

        asyncio.run(all_of_it())

    return run


Awaited = Callable[[Callable[[AsyncTidegate], Awaitable[None]]], None]


def test_programs_run_side_by_side(awaited: Awaited) -> None:
    async def body(gate: AsyncTidegate) -> None:
        runs = await asyncio.gather(*(gate.execute(f"return {number}") for number in range(3)))
        assert [value_of(run) for run in runs] == [0, 1, 2]
        listed = gate.runs.list(page_size=1)
        assert isinstance(listed, AsyncIterator)
        assert {run.run_id for run in runs} <= {one.run_id async for one in listed}

    awaited(body)


def test_a_stream_tells_until_the_end(awaited: Awaited) -> None:
    async def body(gate: AsyncTidegate) -> None:
        async with gate.stream("print('seen')\nreturn 1") as events:
            told = [event async for event in events]
        assert Output("stdout", "seen\n") in told
        assert isinstance(told[-1], Ended)

    awaited(body)


def test_a_stream_that_is_left_cancels_its_program(awaited: Awaited) -> None:
    async def body(gate: AsyncTidegate) -> None:
        async with gate.stream(FOREVER) as events:
            first = await anext(events)
            assert isinstance(first, StatusChanged)
        assert (await gate.runs.wait(first.run_id)).status == "cancelled"

    awaited(body)


def test_a_task_that_is_cancelled_cancels_its_program(awaited: Awaited) -> None:
    async def body(gate: AsyncTidegate) -> None:
        session = (await gate.sessions.create()).id
        task = asyncio.create_task(gate.execute(FOREVER, session=session))
        while not (await gate.sessions.read(session)).busy:  # noqa: ASYNC110 - it is the gateway's to say
            await asyncio.sleep(0.02)
        task.cancel()
        with pytest.raises(asyncio.CancelledError):
            await task
        [run] = [one async for one in gate.runs.list(session=session)]
        assert (await gate.runs.wait(run.run_id)).status == "cancelled"

    awaited(body)


def test_a_run_is_approved_while_somebody_waits_for_it(awaited: Awaited) -> None:
    async def body(gate: AsyncTidegate) -> None:
        run = await gate.execute(DEVICES)
        waiting = asyncio.create_task(gate.runs.wait(run.run_id))
        await gate.approvals.answer(run.run_id, "approve")
        assert value_of(await waiting) is True

    awaited(body)


def test_files_and_sessions(awaited: Awaited) -> None:
    async def body(gate: AsyncTidegate) -> None:
        session = (await gate.sessions.create()).id
        await gate.files.upload(session, "a.txt", "here")
        assert await gate.files.download(session, "a.txt") == b"here"
        await gate.sessions.remove(session)

    awaited(body)


def test_a_question_is_answered_and_told_as_it_comes(awaited: Awaited) -> None:
    async def body(gate: AsyncTidegate) -> None:
        answer = await gate.ask("How much?")
        async with gate.ask_stream("How much?", conversation=answer.conversation) as events:
            told = [event async for event in events]
        assert "".join(one.text for one in told if isinstance(one, Words)) == "It is 42."
        assert isinstance(told[-1], Answer)
        kept = await gate.conversations.read(answer.conversation)
        assert [turn.question for turn in kept.turns] == ["How much?", "How much?"]

    awaited(body)


def test_a_skill_is_saved_found_and_taken_away(awaited: Awaited) -> None:
    async def body(gate: AsyncTidegate) -> None:
        source = "def thrice(n: int) -> int:\n    'Thrice a number.'\n    return 3 * n\n"
        saved = await gate.skills.save("thrice", source, examples=[{"arguments": {"n": 2}, "expect": 6}])
        assert [one.name for one in await gate.skills.list("thrice a number")] == [saved.name]
        assert (await gate.skills.test("thrice")).passed
        await gate.skills.remove("thrice")
        assert await gate.skills.list() == []

    awaited(body)


def test_an_answer_that_takes_too_long_is_given_up(gateway: Gateway, token: str) -> None:
    async def body() -> None:
        async with AsyncTidegate(gateway.url, token=token, timeout=0.5, run_timeout=0.5) as gate:
            with pytest.raises(TimedOut):
                await gate.execute(FOREVER)

    asyncio.run(body())
