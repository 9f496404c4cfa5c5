# expect: value ["cancelled", ["ToolError: broken"]]
# freeze: true
import asyncio

from tidegate import ToolError, call

log = []


async def wait_forever():
    try:
        await call("never")
    except asyncio.CancelledError:
        log.append("cancelled")
        raise


async def break_soon():
    await asyncio.sleep(0)
    await call("fail", message="broken")


try:
    async with asyncio.TaskGroup() as group:
        group.create_task(wait_forever())
        group.create_task(break_soon())
except* ToolError as problems:
    log.append([f"{type(e).__name__}: {e}" for e in problems.exceptions])
log
