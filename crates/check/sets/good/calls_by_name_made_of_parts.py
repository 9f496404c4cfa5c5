import json

servers_and_tools = [("crm", "list_deals"), ("forge", "get_user")]
arguments = {"list_deals": {"stage": "won"}, "get_user": {"login": "ann"}}
for server, tool in servers_and_tools:
    print(json.dumps(await call_mcp_tool(server, tool, arguments[tool])))
name = "_".join(["list", "tables"])
print(await call_mcp_tool("warehouse", name, {}))
