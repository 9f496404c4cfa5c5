# expect: unknown-tool 4
server = "crm"
tool = "find_contact"
found = await call_mcp_tool(server, tool, {"query": "ann"})
print(found)
