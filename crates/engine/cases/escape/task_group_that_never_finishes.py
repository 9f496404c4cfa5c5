# expect: contained
# limits: {"cpu_ms": 300, "wall_ms": 1000}
import asyncio


async def spin():
    while True:
        try:
            await asyncio.sleep(0)
        except asyncio.CancelledError:
            pass


async with asyncio.timeout(0.01):
    async with asyncio.TaskGroup() as group:
        group.create_task(spin())
