# expect: value ["ToolError", "the harbour is closed"]
# freeze: true
from tidegate import ToolError, call

try:
    await call("fail", message="the harbour is closed")
except ToolError as problem:
    result = [type(problem).__name__, str(problem)]
