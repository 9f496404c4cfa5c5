# expect: wrong-type 2
answer = await call_mcp_tool("forge", "search_code", {"query": "TODO", "max_results": 5, "limit": "5"})
print(answer["matches"])
