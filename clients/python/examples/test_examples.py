"""The examples, with a real gateway and a model whose replies are written down."""

from __future__ import annotations

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import langchain_tools
import openai_agents_tools
import pytest
from agents import OpenAIChatCompletionsModel, set_tracing_disabled
from gateway import Gateway
from langchain_openai import ChatOpenAI
from openai import AsyncOpenAI
from pydantic import SecretStr
from scripted import KEY, MODEL, Scripted, call, say

from tidegate import AsyncTidegate, Tidegate, value_of

Answer = Callable[[AsyncTidegate, str, str], Awaitable[str]]
HISTORY = """
from servers.data import query_device_history
rows = await query_device_history("power_00", limit=3)
return {"rows": len(rows)}
"""


async def _langchain(gate: AsyncTidegate, url: str, question: str) -> str:
    model = ChatOpenAI(model=MODEL, base_url=url, api_key=SecretStr(KEY), max_retries=0)
    return await langchain_tools.answer(gate, model, question)


async def _openai_agents(gate: AsyncTidegate, url: str, question: str) -> str:
    async with AsyncOpenAI(base_url=url, api_key=KEY, max_retries=0) as client:
        model = OpenAIChatCompletionsModel(model=MODEL, openai_client=client)
        return await openai_agents_tools.answer(gate, model, question)


@pytest.fixture(params=[_langchain, _openai_agents], ids=["langchain", "openai-agents"])
def answer(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Answer:
    monkeypatch.setenv("LANGSMITH_TRACING", "false")
    set_tracing_disabled(True)
    found: Answer = request.param
    return found


def _asked(gateway: Gateway, token: str, answer: Answer, *replies: dict[str, Any]) -> tuple[str, list[dict[str, Any]]]:
    """What was answered, and what the model was sent."""

    async def ask(url: str) -> str:
        async with AsyncTidegate(gateway.url, token=token) as gate:
            before = {one.id for one in await gate.sessions.list()}
            told = await answer(gate, url, "How much is there of power_00?")
            assert {one.id for one in await gate.sessions.list()} == before
            return told

    with Scripted(*replies) as scripted:
        told = asyncio.run(ask(scripted.url))
        return told, scripted.done()


def _results(request: dict[str, Any]) -> list[str]:
    return [str(one["content"]) for one in request["messages"] if one["role"] == "tool"]


def test_a_model_finds_a_tool_calls_it_in_a_program_and_answers(gateway: Gateway, token: str, answer: Answer) -> None:
    replies = [
        call("search_tools", query="history of a device"),
        call("execute_python", code=HISTORY),
        say("Three rows."),
    ]
    told, requests = _asked(gateway, token, answer, *replies)
    assert told == "Three rows."
    assert sorted(one["function"]["name"] for one in requests[0]["tools"]) == ["execute_python", "search_tools"]
    [found] = _results(requests[1])
    assert "query_device_history" in found
    assert "from servers.data import" in found
    assert _results(requests[2])[1].startswith('{"rows": 3}')


def test_a_program_that_fails_is_told_to_the_model(gateway: Gateway, token: str, answer: Answer) -> None:
    # No check can know this before it runs.
    code = "return [1, 2][int('5')]"
    told, requests = _asked(gateway, token, answer, call("execute_python", code=code), say("It failed."))
    assert told == "It failed."
    [result] = _results(requests[1])
    assert result.startswith("IndexError at line 1")


SAVED = '''
def power_of(device: str) -> int:
    """How much power a device is said to have."""
    return len(device)
return (await save_skill("power_of", power_of, examples=[{"device": "power_00"}]))["version"]
'''


def test_a_skill_is_imported_as_what_it_is(gateway: Gateway, token: str, answer: Answer) -> None:
    with Tidegate(gateway.url, token=token) as gate:
        assert value_of(gate.execute(SAVED)) >= 1
    replies = [
        call("search_tools", query="how much power a device is said to have"),
        call("execute_python", code='from skills import power_of\nreturn power_of("power_00")'),
        say("Eight."),
    ]
    _, requests = _asked(gateway, token, answer, *replies)
    [found] = _results(requests[1])
    assert "from skills import power_of  # a skill" in found
    assert "servers.skills" not in found
    assert _results(requests[2])[1].startswith("8\n")


def test_variables_stay_from_one_program_to_the_next(gateway: Gateway, token: str, answer: Answer) -> None:
    replies = [call("execute_python", code="x = 20"), call("execute_python", code="return x + 1"), say("21")]
    _, requests = _asked(gateway, token, answer, *replies)
    assert _results(requests[2])[1].startswith("21\n")
