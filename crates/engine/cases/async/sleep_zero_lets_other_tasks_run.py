# expect: value ["a1", "b1", "a2", "b2"]
# freeze: true
import asyncio

log = []


async def two(name):
    log.append(name + "1")
    await asyncio.sleep(0)
    log.append(name + "2")


await asyncio.gather(two("a"), two("b"))
log
