# expect: missing-argument 2
answer = await call_mcp_tool("weather", "forecast", {"city": "Oslo"})
answer["days"]
