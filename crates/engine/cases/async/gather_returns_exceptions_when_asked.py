# expect: value [3, "ToolError", "ValueError"]
# freeze: true
import asyncio

from tidegate import call


async def wrong():
    raise ValueError("own")


replies = await asyncio.gather(
    call("add", a=1, b=2), call("fail", message="no"), wrong(), return_exceptions=True
)
[r if isinstance(r, int) else type(r).__name__ for r in replies]
