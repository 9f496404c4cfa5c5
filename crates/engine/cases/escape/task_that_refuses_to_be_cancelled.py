# expect: value "left"
import asyncio

from tidegate import call


async def stubborn():
    while True:
        try:
            await call("never")
        except asyncio.CancelledError:
            pass


task = asyncio.create_task(stubborn())
await asyncio.sleep(0)
"left"
