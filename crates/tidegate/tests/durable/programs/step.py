# One step of a session: it changes a variable and a file once, and calls more the deeper it goes. What is refused,
# because an earlier attempt may have made it, is left out.
import asyncio
from servers.desk import book, look, put
from tidegate import ToolError

CHILD = """
from servers.desk import book, look
await look(key=f"{key}r")
return (await book(key=f"{key}w"))["key"]
"""
refused = []


async def tried(call):
    try:
        await call
    except ToolError as error:
        refused.append(f"{error.kind}: {error}")


steps.append(name)
with open("/workspace/log", "a") as log:
    log.write(f"{name}\n")
if depth > 0:
    await tried(look(key=f"{name}-a"))
if depth > 1:
    await asyncio.gather(tried(book(key=f"{name}-b")), tried(put(key=f"{name}-c")))
    await asyncio.sleep(0.15)
if depth > 2:
    await tried(spawn(CHILD, context={"key": f"{name}-d"}))
with open("/workspace/log") as log:
    lines = log.read().split()
{"steps": len(steps), "last": steps[-1], "same": steps == lines, "once": len(set(steps)) == len(steps), "refused": refused}
