# expect: value ["ToolError", "ToolError", "ToolError", "ToolError"]
from tidegate import ToolError, call

outcomes = []
for name in ("../../etc/passwd", "x" * 10_000, "a\x00b", "echo\n"):
    try:
        await call(name, a=1)
        outcomes.append("answered")
    except ToolError:
        outcomes.append("ToolError")
outcomes
