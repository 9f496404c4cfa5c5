"""Tidegate for LangChain: two tools, with which an agent reaches all those of its MCP servers.

    URL=http://127.0.0.1:8030 OPENAI_API_KEY=… MODEL=… python langchain_tools.py "Which devices are there?"

Programs of one agent share a session, so that variables stay from one to the next.
"""

from __future__ import annotations

import asyncio
import os
import sys

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel
from langchain_core.tools import BaseTool, tool
from langchain_openai import ChatOpenAI

from tidegate import AsyncTidegate, text_of
from tidegate.models import FoundTool

PROMPT = "Find tools with search_tools, then write one Python program that calls them and returns a small result."


def tools_of(gate: AsyncTidegate, session: str) -> list[BaseTool]:
    """The tools of one agent, whose programs run in this session."""

    @tool
    async def search_tools(query: str) -> str:
        """Finds tools by a few words, with how a program imports and calls them."""
        found = await gate.tools.search(query, detail_level="full", limit=5)
        return "\n\n".join(_told(one) for one in found.tools) or "nothing was found"

    @tool
    async def execute_python(code: str) -> str:
        """Runs a Python program in a sandbox; what it returns is the answer."""
        return text_of(await gate.execute(code, session=session))

    return [search_tools, execute_python]


def _told(found: FoundTool) -> str:
    """How a program imports what was found, and how it calls it."""
    if found.kind == "skill":
        how = f"from skills import {found.name}  # a skill: a function that was saved before"
    else:
        how = f"from servers.{found.server} import {found.name}"
    return f"{how}\n{found.signature}"


async def answer(gate: AsyncTidegate, model: BaseChatModel, question: str) -> str:
    """What an agent with those tools answers."""
    session = (await gate.sessions.create()).id
    try:
        agent = create_agent(model, tools_of(gate, session), system_prompt=PROMPT)
        state = await agent.ainvoke({"messages": [{"role": "user", "content": question}]})
        return str(state["messages"][-1].text)
    finally:
        await gate.sessions.remove(session)


async def main() -> None:
    """Answers the question in the command's arguments."""
    async with AsyncTidegate(os.environ["URL"], token=os.environ.get("TOKEN")) as gate:
        print(await answer(gate, ChatOpenAI(model=os.environ["MODEL"]), " ".join(sys.argv[1:])))


if __name__ == "__main__":
    asyncio.run(main())
