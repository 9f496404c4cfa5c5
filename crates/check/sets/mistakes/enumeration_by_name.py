# expect: wrong-value 2
await call_mcp_tool("crm", "log_activity", {"contact_id": "c-1", "kind": "sms"})
