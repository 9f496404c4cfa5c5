# expect: value [["a", "b"], "outside"]
# freeze: true
import asyncio
from contextvars import ContextVar

from tidegate import call

who = ContextVar("who")
who.set("outside")


async def act(name):
    who.set(name)
    await call("later")
    return who.get()


[await asyncio.gather(act("a"), act("b")), who.get()]
