# expect: unknown-field 3
issue = await call_mcp_tool("forge", "get_issue", {"owner": "acme", "repo": "rocket", "number": 7})
print(issue["titel"])
