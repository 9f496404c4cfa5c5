# expect: value [0, 1, 4, 9, 16]
# freeze: true
import asyncio

from tidegate import call

queue = asyncio.Queue(maxsize=2)
out = []


async def produce():
    for n in range(5):
        await queue.put(n)
    for _ in range(2):
        await queue.put(None)


async def consume():
    while (n := await queue.get()) is not None:
        await call("later")
        out.append(n * n)


await asyncio.gather(produce(), consume(), consume())
sorted(out)
