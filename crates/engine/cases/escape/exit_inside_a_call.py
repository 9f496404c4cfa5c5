# expect: exited
import asyncio
import os

from tidegate import call


async def leave():
    await call("echo")
    os._exit(0)


await asyncio.gather(call("later"), leave())
