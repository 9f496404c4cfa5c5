# expect: value ["background", "foreground"]
# freeze: true
import asyncio

from tidegate import call

log = []


async def background():
    await call("echo")
    log.append("background")


task = asyncio.create_task(background())
await asyncio.sleep(0.02)
await task
log.append("foreground")
log
