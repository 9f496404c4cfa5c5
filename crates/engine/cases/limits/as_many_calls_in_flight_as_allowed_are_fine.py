# expect: value [0, 1, 2, 3, 4, 5]
# limits: {"calls_in_flight": 3}
import asyncio

from tidegate import call

seen = []
for start in (0, 3):
    replies = await asyncio.gather(*(call("later", n=start + n) for n in range(3)))
    seen += [reply["n"] for reply in replies]
seen
