# expect: contained
import asyncio

from tidegate import call

tasks = [asyncio.ensure_future(call("never")) for _ in range(5000)]
await asyncio.sleep(0)
