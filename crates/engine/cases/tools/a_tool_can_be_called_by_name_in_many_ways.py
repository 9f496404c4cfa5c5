# expect: value [["demo", 1], ["demo", 2], ["demo", 3], [null, 4], [null, 5], [null, 6], ["demo", 7]]
# servers: demo
answers = [
    await call_mcp_tool("demo", "createIssue", {"title": 1}),
    await call_mcp_tool("demo", "createIssue", title=2),
    await callMCPTool("demo", "createIssue", {"title": 3}),
    await callMCPTool("createIssue", {"title": 4}),
    await call_mcp_tool("createIssue", {"title": 5}, dict),
    await call_mcp_tool("createIssue", title=6),
    await call_mcp_tool(server="demo", tool="createIssue", arguments={"title": 7}),
]
[[one["server"], one["arguments"]["title"]] for one in answers]
