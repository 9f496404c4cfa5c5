# expect: raised ToolError: answer answered with a list, not a dict: [1, 2]
# servers: demo
await call_mcp_tool("demo", "answer", {"answer": {"v": [1, 2]}}, dict)
