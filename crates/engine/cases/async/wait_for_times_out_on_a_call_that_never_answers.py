# expect: value "timed out"
# freeze: true
import asyncio

from tidegate import call

try:
    await asyncio.wait_for(call("never"), timeout=0.05)
except TimeoutError:
    result = "timed out"
