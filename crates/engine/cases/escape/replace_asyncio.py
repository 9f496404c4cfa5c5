# expect: value 5
import asyncio

from tidegate import call

asyncio.gather = asyncio.sleep = asyncio.Future = asyncio.Task = None
asyncio.get_running_loop = asyncio.get_event_loop = asyncio.iscoroutine = None
await call("add", a=2, b=3)
