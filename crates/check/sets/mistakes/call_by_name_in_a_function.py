# expect: missing-argument 3
async def query(sql):
    return await call_mcp_tool("warehouse", "run_query", {"query": sql})

print(await query("select 1"))
