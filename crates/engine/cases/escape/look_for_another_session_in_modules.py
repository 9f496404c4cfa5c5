# expect: value []
import sys

main = sys.modules["__main__"]
own = {"sys", "main", "own", "result", "call", "ToolError"}
[name for name in globals() if not name.startswith("_") and name not in own]
