# expect: value ["ToolError", "the lamp is broken", "ToolError", "demo", "fail"]
# servers: demo
# freeze: true
from servers.demo import fail

try:
    await fail("the lamp is broken")
except ToolError as problem:
    result = [type(problem).__name__, str(problem), problem.kind, problem.server, problem.tool]
