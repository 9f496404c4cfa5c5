# expect: unknown-tool 2
result = await call_mcp_tool("files", "read_txt", {"path": "/notes.md"})
print(result[:200])
