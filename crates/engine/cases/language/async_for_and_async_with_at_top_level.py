# expect: value ["in", 0, 1, "out"]
# freeze: true
from contextlib import asynccontextmanager

from tidegate import call

log = []


@asynccontextmanager
async def scope():
    log.append("in")
    await call("later")
    try:
        yield
    finally:
        await call("later")
        log.append("out")


async def ticks():
    for n in range(2):
        await call("later", n=n)
        yield n


async with scope():
    async for n in ticks():
        log.append(n)
log
