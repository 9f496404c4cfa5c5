# expect: value [5, "next"]
# freeze: true
import asyncio

from tidegate import call


async def wait():
    return await call("later", n="dropped", ms=10)


task = asyncio.create_task(wait())
await asyncio.sleep(0)
task.cancel()
total = await call("add", a=2, b=3)
await asyncio.sleep(0.03)
[total, (await call("later", n="next"))["n"]]
