# expect: unknown-server 2
result = await call_mcp_tool("warehose", "run_query", {"sql": "select 1"})
result["rows"]
