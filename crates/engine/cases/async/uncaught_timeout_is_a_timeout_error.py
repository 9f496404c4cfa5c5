# expect: raised TimeoutError
# line: 5
import asyncio

from tidegate import call

await asyncio.wait_for(call("never"), timeout=0.02)
