# expect: value {"n": 1}
# freeze: true
import asyncio

from tidegate import call

await asyncio.wait_for(call("later", n=1), timeout=20)
