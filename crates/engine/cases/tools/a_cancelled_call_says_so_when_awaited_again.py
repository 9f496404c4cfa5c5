# expect: value ["timeout", "this call of slow() was cancelled before its answer came; call it again"]
# servers: demo
import asyncio

from servers.demo import slow

call = slow("x", ms=9000)
found = []
try:
    await asyncio.wait_for(call, 0.05)
except TimeoutError:
    found.append("timeout")
try:
    await call
except ToolError as problem:
    found.append(str(problem))
found
