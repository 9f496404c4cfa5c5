# expect: value ["rested", true]
import asyncio
import time

before = time.monotonic()
reply = await asyncio.sleep(0.05, "rested")
[reply, 0.045 <= time.monotonic() - before < 5]
