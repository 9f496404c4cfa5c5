# expect: value "done"
import asyncio

from tidegate import call


async def forever():
    await call("never")


left_behind = asyncio.create_task(forever())
await asyncio.sleep(0)
"done"
# --- next
# expect: value 3
await call("add", a=1, b=2)
