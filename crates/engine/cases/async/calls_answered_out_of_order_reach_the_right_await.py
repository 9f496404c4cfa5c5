# expect: value [["slow", "fast"], ["fast", "slow"]]
import asyncio

from tidegate import call

arrived = []


async def ask(name, ms):
    reply = await call("later", name=name, ms=ms)
    arrived.append(reply["name"])
    return reply["name"]


asked = await asyncio.gather(ask("slow", 150), ask("fast", 5))
[asked, arrived]
