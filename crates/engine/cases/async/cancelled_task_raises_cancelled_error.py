# expect: value ["cancelled", true]
# freeze: true
import asyncio

from tidegate import call


async def wait():
    await call("never")


task = asyncio.create_task(wait())
await asyncio.sleep(0)
task.cancel()
try:
    await task
    outcome = "finished"
except asyncio.CancelledError:
    outcome = "cancelled"
[outcome, task.cancelled()]
