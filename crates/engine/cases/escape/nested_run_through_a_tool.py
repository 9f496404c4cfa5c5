# expect: value ["ToolError", "ToolError", "ToolError"]
from tidegate import ToolError, call

names = []
for tool in ("execute_python", "run", "tidegate"):
    try:
        await call(tool, code="1")
    except ToolError:
        names.append("ToolError")
names
