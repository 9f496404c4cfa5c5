# expect: contained
import asyncio

from tidegate import call

asyncio.set_event_loop(asyncio.new_event_loop())
asyncio.events._set_running_loop(None)
await call("echo")
