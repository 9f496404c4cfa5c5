# expect: contained
import asyncio

from tidegate import call

asyncio.get_running_loop().stop()
try:
    asyncio.get_running_loop().close()
except RuntimeError:
    pass
await call("echo")
