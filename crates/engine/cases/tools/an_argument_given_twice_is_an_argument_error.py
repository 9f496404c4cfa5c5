# expect: value ["create_issue() got 'owner' twice, by position and by name", true, true, "demo", "createIssue"]
# servers: demo
from servers.demo import create_issue

try:
    await create_issue("a", "b", "c", owner="d")
except TypeError as problem:
    result = [str(problem).split(".")[0], isinstance(problem, ToolError), isinstance(problem, ArgumentError), problem.server, problem.tool]
