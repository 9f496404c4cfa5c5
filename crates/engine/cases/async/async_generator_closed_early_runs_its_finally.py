# expect: value [0, "closed"]
# freeze: true
from contextlib import aclosing

from tidegate import call

log = []


async def numbers():
    try:
        n = 0
        while True:
            await call("later")
            yield n
            n += 1
    finally:
        await call("later")
        log.append("closed")


async with aclosing(numbers()) as stream:
    async for n in stream:
        log.append(n)
        break
log
