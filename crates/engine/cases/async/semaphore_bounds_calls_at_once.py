# expect: value [2, 6]
# freeze: true
import asyncio

from tidegate import call

gate = asyncio.Semaphore(2)
running = most = 0


async def ask(n):
    global running, most
    async with gate:
        running += 1
        most = max(most, running)
        await call("later", n=n)
        running -= 1


await asyncio.gather(*(ask(n) for n in range(6)))
[most, 6 - running]
