# expect: value 4
# freeze: true
import asyncio

from tidegate import call

lock = asyncio.Lock()
count = 0


async def bump():
    global count
    async with lock:
        seen = count
        await call("later")
        count = seen + 1


await asyncio.gather(*(bump() for _ in range(4)))
count
