# expect: value ["arrived", "arrived", "notified"]
# freeze: true
import asyncio

barrier = asyncio.Barrier(2)
condition = asyncio.Condition()
log = []


async def meet():
    await barrier.wait()
    log.append("arrived")


async def wait():
    async with condition:
        await condition.wait()
        log.append("notified")


waiting = asyncio.create_task(wait())
await asyncio.gather(meet(), meet())
async with condition:
    condition.notify_all()
await waiting
log
