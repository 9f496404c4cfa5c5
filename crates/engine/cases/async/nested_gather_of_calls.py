# expect: value [[0, 1], [10, 11]]
# freeze: true
import asyncio

from tidegate import call


async def row(start):
    replies = await asyncio.gather(*(call("later", n=start + i) for i in range(2)))
    return [reply["n"] for reply in replies]


await asyncio.gather(row(0), row(10))
