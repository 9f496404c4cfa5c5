# expect: unknown-tool 4
rows = []
for city in ("Oslo", "Lima", "Pune"):
    answer = await call_mcp_tool("weather.curent", {"city": city})
    rows.append((city, answer["temperature"]))
rows
