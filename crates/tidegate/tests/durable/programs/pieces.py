# Calls of its own and of children. It fails where it is told to, and whoever takes over from it goes on without what
# is refused. It says which calls were answered, as the server counts them.
import asyncio
from servers.desk import book, look, put
from tidegate import ToolError

BOTH = """
import asyncio
from servers.desk import book, look
await look(key=f"{key}r")
await book(key=f"{key}w")
await asyncio.sleep(0.15)
await book(key=f"{key}x")
return key
"""
BREAKS = """
from servers.desk import book
await book(key=f"{key}w")
int("x".strip())
"""
EACH = """
from servers.desk import book, look
await look(key=f"{item}r")
return (await book(key=f"{item}w"))["key"]
"""
done, refused = [], []


async def tried(call, *made):
    try:
        await call
    except ToolError as error:
        refused.append(f"{error.kind}: {error}")
    else:
        done.extend(made)


for at in range(2):
    key = f"{name}-{at}"
    await tried(look(key=f"{key}a"), f"look {key}a")
    await tried(book(key=f"{key}b"), f"book {key}b")
    await asyncio.gather(
        tried(book(key=f"{key}c"), f"book {key}c"),
        tried(put(key=f"{key}d"), f"put {key}d"),
        tried(spawn(BOTH, context={"key": f"{key}e"}), f"look {key}er", f"book {key}ew", f"book {key}ex"),
    )
    if fails == at:
        raise ValueError("later")
try:
    await spawn(BREAKS, context={"key": f"{name}-2"})
except ToolError:
    pass
keys = [f"{name}-3", f"{name}-4"]
await tried(spawn_map(EACH, keys), *[f"book {key}w" for key in keys])
{"done": done, "refused": refused}
