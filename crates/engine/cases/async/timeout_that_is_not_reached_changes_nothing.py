# expect: value [{"n": 2}, false]
# freeze: true
import asyncio

from tidegate import call

async with asyncio.timeout(30) as limit:
    reply = await call("later", n=2)
[reply, limit.expired()]
