# expect: raised ToolError
from tidegate import call

await call("no_such_tool", a=1)
