# expect: raised ToolError: first
import asyncio

from tidegate import call

await asyncio.gather(call("fail", message="first"), call("never"))
