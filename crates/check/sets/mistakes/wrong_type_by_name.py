# expect: wrong-type 2
await call_mcp_tool("smart-home", "set_temperature", {"device_id": "t-1", "celsius": "21"})
