# expect: contained
# limits: {"cpu_ms": 1000, "wall_ms": 5000, "memory_mib": 48}
import asyncio


async def breed():
    for _ in range(2):
        asyncio.create_task(breed())
    await asyncio.sleep(0)


await breed()
await asyncio.sleep(3600)
