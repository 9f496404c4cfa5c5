# expect: value [3, 7, 11]
# freeze: true
import asyncio

from tidegate import call

await asyncio.gather(call("add", a=1, b=2), call("add", a=3, b=4), call("add", a=5, b=6))
