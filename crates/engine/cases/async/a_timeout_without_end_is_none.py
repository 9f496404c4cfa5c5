# expect: value [{"n": 1}, "looked"]
# freeze: true
import asyncio

from tidegate import call, wait_until

looks = []


def look():
    looks.append(1)
    return "looked"


never = asyncio.create_task(asyncio.sleep(float("inf")))
answer = await asyncio.wait_for(call("later", n=1), timeout=float("inf"))
found = await wait_until(look, every=float("inf"), timeout=float("inf"))
never.cancel()
await asyncio.wait([never])
[answer, found]
