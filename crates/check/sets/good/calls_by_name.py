import json

first = await call_mcp_tool("forge", "get_issue", {"owner": "a", "repo": "b", "number": 1})
second = await call_mcp_tool("forge.get_issue", {"owner": "a", "repo": "b", "number": 2}, dict)
third = await call_mcp_tool("mcp__smart-home__list_devices")
fourth = await call_mcp_tool("smart_home", "listDevices", room="kitchen")
fifth = await callMCPTool("servers.weather.current", {"city": "Oslo"})
sixth = await call_mcp_tool(server="files", tool="read_text", arguments={"path": "/a.txt"})
name = "weather"
seventh = await call_mcp_tool(name, "current", {"city": "Lima"})
arguments = {"city": "Pune", "days": 3}
eighth = await call_mcp_tool("weather", "forecast", arguments)
print(json.dumps([first, second, third, fourth, fifth, sixth, seventh, eighth], default=str))
