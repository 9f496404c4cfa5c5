# expect: unknown-tool 2
tables = await call_mcp_tool("warehouse", "show_tables", {})
print(tables)
