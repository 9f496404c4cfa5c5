# expect: unknown-argument 2
found = await call_mcp_tool("crm", "find_contacts", {"query": "acme", "max": 5})
found["contacts"]
