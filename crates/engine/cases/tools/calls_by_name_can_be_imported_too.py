# expect: value ["x", true]
# servers: demo
import tidegate
from servers import ToolError, call_mcp_tool

[(await call_mcp_tool("demo", "echo", {"text": "x"}))["text"], ToolError is tidegate.ToolError]
