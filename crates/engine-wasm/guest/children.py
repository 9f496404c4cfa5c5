"""Programs that a program starts: `spawn` and `spawn_map`.

    total = await spawn("return sum(rows)", context={"rows": rows})
    sizes = await spawn_map("return len(item)", items, parallel=4)
    other = await spawn("return rows.length", {"rows": rows}, language="typescript")

Each child runs in an interpreter of its own, beside the others, and knows nothing but its context. What it returns
comes back; what it prints does not. One that fails raises ToolError here.
"""

import asyncio
import inspect
import sys
import textwrap

from _tidegate import values
from _tidegate.calls import ToolCall, What

_frame = sys._getframe
_mark = getattr(inspect, "markcoroutinefunction", lambda function: function)


def spawn(code, context=None, agent=None, language=None):
    """Runs a program in an interpreter of its own, with `context` as its variables, and gives what it returns.

    `agent` is what it is called, for rules and in what is told of it.
    """
    return _spawned("spawn", code, context, (agent, language), _frame(1))


async def spawn_map(code, items, parallel=4, agent=None, language=None):
    """Runs the program once for each of `items`, which it finds as `item` beside `index`; gives what they return, in order."""
    if isinstance(parallel, bool) or not isinstance(parallel, int) or parallel < 1:
        raise ValueError(f"spawn_map(): parallel is a number from 1 on, not {parallel!r}")
    frame, free = _frame(0), asyncio.Semaphore(parallel)

    async def one(index, item):
        async with free:
            return await _spawned("spawn_map", code, {"item": item, "index": index}, (agent, language), frame)

    tasks = [asyncio.ensure_future(one(index, item)) for index, item in enumerate(items)]
    try:
        return await asyncio.gather(*tasks)
    finally:
        # When one failed, nobody waits for the others.
        for task in tasks:
            task.cancel()


def _spawned(function, code, context, which, frame):
    agent, language = which
    if not isinstance(code, str):
        raise TypeError(f"{function}(): code is the text of a program, not {type(code).__name__}; put it in quotes")
    if context is not None and not isinstance(context, dict):
        raise TypeError(f"{function}(): context is a dict of variables, not {type(context).__name__}")
    asked = {"code": textwrap.dedent(code), "context": context or {}}
    if agent is not None:
        if not isinstance(agent, str):
            raise TypeError(f"{function}(): agent is a name, such as 'worker', not {type(agent).__name__}")
        asked["agent"] = str(agent)
    if language is not None:
        if not isinstance(language, str):
            raise TypeError(f"{function}(): language is \"python\" or \"typescript\", not {type(language).__name__}")
        asked["language"] = language.lower()
    return ToolCall(What(function, '"$spawn"'), values.encode_arguments(asked), frame)


PUBLIC = {one.__name__: one for one in (spawn, spawn_map)}
for _function in PUBLIC.values():
    _function.__module__ = "tidegate"
_mark(spawn)
