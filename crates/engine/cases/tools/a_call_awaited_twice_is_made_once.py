# expect: value [true, "a", "a"]
# servers: demo
# freeze: true
# limits: {"calls": 1}
import asyncio

from servers.demo import slow

once = slow("a")
first, second = await asyncio.gather(once, asyncio.ensure_future(once))
third = await once
[first is second is third, first["text"], third["text"]]
