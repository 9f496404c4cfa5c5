# expect: value [1, 2, 3]
import asyncio

from tidegate import call


async def one():
    return 1


async def two():
    return 2


[asyncio.run(one()), asyncio.run(two()), await call("add", a=1, b=2)]
