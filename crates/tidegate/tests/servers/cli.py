# expect: {"text": "high\nlow\n", "code": "Command completed with return code: 0", "refused": true}

# Two parts, so a list.
text, code = await call_mcp_tool("mcp__cli__run_command", {"command": "cat tides.txt"}, list)
# This server says no in a result that is no error.
refused = await call_mcp_tool("cli", "run_command", command="rm tides.txt")

{"text": text, "code": code.strip(), "refused": refused.startswith("Security violation")}
