# expect: unknown-tool 2
issue = await call_mcp_tool("weather", "get_issue", {"owner": "acme", "repo": "rocket", "number": 1})
print(issue)
