# expect: value {"a": [0, 1, 2], "b": [0, 1, 2]}
# freeze: true
import asyncio

from tidegate import call

steps = {"a": [], "b": []}


async def walk(name):
    for n in range(3):
        reply = await call("later", n=n)
        steps[name].append(reply["n"])


await asyncio.gather(walk("a"), walk("b"))
steps
