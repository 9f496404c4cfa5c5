# expect: missing-argument 2
arguments = {"to": ["ada@example.org"], "subject": "Hello"}
sent = await call_mcp_tool("crm", "send_email", arguments)
print(sent["queued"])
