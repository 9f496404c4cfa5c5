# expect: value ["timed out", "finished"]
# freeze: true
import asyncio


async def slow():
    await asyncio.sleep(0.1)
    return "finished"


task = asyncio.create_task(slow())
log = []
try:
    await asyncio.wait_for(asyncio.shield(task), timeout=0.01)
except TimeoutError:
    log.append("timed out")
log.append(await task)
log
