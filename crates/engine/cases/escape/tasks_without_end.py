# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 5000}
import asyncio


async def spin():
    while True:
        await asyncio.sleep(0)


await asyncio.gather(*(spin() for _ in range(10)))
