# expect: limit calls_in_flight
# limits: {"calls_in_flight": 50}
import asyncio

from tidegate import call

await asyncio.gather(*(call("never") for _ in range(900)))
