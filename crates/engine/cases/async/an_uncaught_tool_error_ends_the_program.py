# expect: raised ToolError: no tide today
# line: 3
from tidegate import call

await call("fail", message="no tide today")
