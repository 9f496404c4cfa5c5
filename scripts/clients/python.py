"""The Python SDK as a client: list, call, stream, cancel; over stdio and HTTP.

Runs with both major versions of the SDK. TIDEGATE is the program, URL the address of a running
`tidegate serve`; variables that start with TIDEGATE_ are handed on.
"""

import asyncio
import contextlib
import importlib.metadata
import os
import sys
import traceback

import anyio
from mcp import ClientSession, StdioServerParameters, types
from mcp.client.stdio import stdio_client

NEW = not importlib.metadata.version("mcp").startswith("1.")
PASSED_ON = {key: value for key, value in os.environ.items() if key.startswith("TIDEGATE_") or key in ("PATH", "HOME")}
PATIENCE = 120

failed = []


def check(good, what, more=""):
    print("ok    " if good else "FAILED", what, more, flush=True)
    if not good:
        failed.append(what)


def of(result, name, old_name):
    return getattr(result, name) if hasattr(result, name) else getattr(result, old_name)


def structured(result):
    return of(result, "structured_content", "structuredContent")


@contextlib.asynccontextmanager
async def connected(door, mode):
    command = StdioServerParameters(command=os.environ["TIDEGATE"], args=["mcp"], env=PASSED_ON)
    if NEW:
        from mcp import Client

        async with Client(command if door == "stdio" else os.environ["URL"], mode=mode) as client:
            yield client
        return
    if door == "stdio":
        streams = stdio_client(command)
    else:
        from mcp.client.streamable_http import streamable_http_client

        streams = streamable_http_client(os.environ["URL"])
    async with streams as (read, write, *_), ClientSession(read, write) as session:
        await session.initialize()
        yield session


async def run(client, **arguments):
    """Runs a program; a runtime that is being made says so, and is waited for."""
    while True:
        result = await client.call_tool("execute_python", arguments)
        if "being installed" not in result.content[0].text:
            return result
        await asyncio.sleep(1)


async def uses(door, mode):
    name = f"{door}, {mode}:"
    async with connected(door, mode) as client:
        tools = sorted(tool.name for tool in (await client.list_tools()).tools)
        check(tools == ["execute_python", "search_tools"], f"{name} list", tools)
        first = await run(client, code="x = 20\nreturn x * 2 + n", context={"n": 2})
        check(structured(first)["return_value"] == 42, f"{name} call")
        session = structured(first)["session"]
        check(structured(await run(client, code="return x + 1", session=session))["return_value"] == 21, f"{name} go on")
        found = await client.call_tool("search_tools", {"query": "devices", "detail_level": "full"})
        check("get_devices" in found.content[0].text, f"{name} search")
        wrong = await run(client, code="return 1 / zero", context={"zero": 0})
        check(of(wrong, "is_error", "isError") is True, f"{name} error")
        await streams(client, name)
        await cancels(client, name, session)


async def streams(client, name):
    told = []

    async def progress(number, total, message):
        told.append(message)

    code = "import asyncio\nfor i in range(3):\n    print('tick', i)\n    await asyncio.sleep(0.3)\nreturn 'done'"
    await client.call_tool("execute_python", {"code": code}, progress_callback=progress)
    check("".join(told) == "tick 0\ntick 1\ntick 2\n", f"{name} stream", told)


async def cancels(client, name, session):
    """Were the program not stopped, it would change `x` before anybody else had a turn."""
    loop = {"code": "import time\nend = time.time() + 20\nwhile time.time() < end: pass\nx = 77", "session": session}
    if NEW:
        with anyio.move_on_after(2):
            await client.call_tool("execute_python", loop)
    else:
        number = client._request_id
        call = asyncio.create_task(client.call_tool("execute_python", loop))
        await asyncio.sleep(2)
        params = types.CancelledNotificationParams(requestId=number, reason="test")
        note = types.CancelledNotification(method="notifications/cancelled", params=params)
        await client.send_notification(types.ClientNotification(note))
        await asyncio.sleep(0.5)
        call.cancel()
        with contextlib.suppress(BaseException):
            await call
    left = await run(client, code="return x", session=session)
    check(structured(left)["return_value"] == 20, f"{name} cancel")


async def main():
    for door in ("stdio", "http"):
        for mode in ("auto", "legacy", "2026-07-28") if NEW else ("legacy",):
            try:
                with anyio.fail_after(PATIENCE):
                    await uses(door, mode)
            except BaseException:
                traceback.print_exc()
                check(False, f"{door}, {mode}: broke off")
    sys.exit(bool(failed))


asyncio.run(main())
