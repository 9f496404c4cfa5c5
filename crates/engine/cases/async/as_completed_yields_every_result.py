# expect: value [0, 1, 2, 3]
# freeze: true
import asyncio

from tidegate import call

seen = []
for next_done in asyncio.as_completed([call("later", n=n) for n in range(4)]):
    seen.append((await next_done)["n"])
sorted(seen)
