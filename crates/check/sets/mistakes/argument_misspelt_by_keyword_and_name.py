# expect: unknown-argument 2
text = await call_mcp_tool("files", "read_text", file_path="/a.txt")
print(text)
