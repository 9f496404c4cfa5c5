# expect: {"before": "UnknownTool", "grown": "changing: grown", "refused": true, "steady": "steady: well"}

from servers.changing import grow, shrink
from servers.steady import well as steady


async def outcome(tool):
    try:
        return await call_mcp_tool("changing", tool, {})
    except ToolError as error:
        return error


before = await outcome("grown")
await grow()
grown = await outcome("grown")
await shrink()
# By us or by the server, whoever knows first.
gone = await outcome("well")

{
    "before": type(before).__name__,
    "grown": grown,
    "refused": isinstance(gone, ToolError),
    "steady": await steady(),
}
