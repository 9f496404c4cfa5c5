# expect: value ["set", "w", "w", "w"]
# freeze: true
import asyncio

from tidegate import call

ready = asyncio.Event()
log = []


async def waiter():
    await ready.wait()
    log.append("w")


async def setter():
    await call("later")
    log.append("set")
    ready.set()


await asyncio.gather(waiter(), waiter(), setter(), waiter())
log
