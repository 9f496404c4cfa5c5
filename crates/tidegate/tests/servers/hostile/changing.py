# expect: [["UnknownTool", "?"], "changing: grown", ["UnknownTool", "?"], "steady: well"]

from servers.changing import grow, shrink
from servers.steady import well as steady


async def outcome(tool):
    try:
        return await call_mcp_tool("changing", tool, {})
    except ToolError as error:
        return [type(error).__name__, str(error)]


before = await outcome("grown")
await grow()
grown = await outcome("grown")
await shrink()
gone = await outcome("well")
[before, grown, gone, await steady()]
