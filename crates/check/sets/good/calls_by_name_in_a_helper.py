async def ask(server, tool, **arguments):
    return await call_mcp_tool(server, tool, arguments)

print(await ask("forge", "get_user", login="ann"), await ask("crm", "list_deals"))
