// expect: value [3, "function"]
import { call, ToolError } from "tidegate";
[await call("add", { a: 1, b: 2 }), typeof ToolError]
