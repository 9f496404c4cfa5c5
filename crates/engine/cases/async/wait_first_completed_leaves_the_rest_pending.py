# expect: value [1, 1, "ready"]
# freeze: true
import asyncio

from tidegate import call


async def never():
    await call("never")


async def ready():
    return "ready"


tasks = {asyncio.create_task(never()), asyncio.create_task(ready())}
done, pending = await asyncio.wait(tasks, return_when=asyncio.FIRST_COMPLETED)
for task in pending:
    task.cancel()
[len(done), len(pending), done.pop().result()]
