# expect: value [["ArgumentError", true, true], ["UnknownTool", true, false], ["ServerError", true, false], ["ToolError", true, false]]
# servers: demo
from servers.demo import fail

found = []
for kind in ("ArgumentError", "UnknownTool", "ServerError", "Other"):
    try:
        await fail("no", kind=kind)
    except ToolError as problem:
        found.append([type(problem).__name__, isinstance(problem, ToolError), isinstance(problem, TypeError)])
found
