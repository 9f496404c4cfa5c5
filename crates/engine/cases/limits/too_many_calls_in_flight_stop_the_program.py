# expect: limit calls_in_flight
# limits: {"calls_in_flight": 3}
import asyncio

from tidegate import call

await asyncio.gather(*(call("later", n=n) for n in range(4)))
