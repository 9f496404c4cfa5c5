from servers import call_mcp_tool as call

text = await call("forge", "get_issue", {"owner": "a", "repo": "b", "number": 1}, str)
print(text[0], text.upper())
wanted = str
same = await call("forge", "get_issue", {"owner": "a", "repo": "b", "number": 1}, wanted)
print(same[:10])
named = await call("forge", "get_issue", {"owner": "a", "repo": "b", "number": 1}, result_type=str)
print(named[0], named.strip())
options = {"result_type": str}
spread = await call("forge", "get_issue", {"owner": "a", "repo": "b", "number": 1}, **options)
print(spread[0])
plain = await call("forge", "get_issue", {"owner": "a", "repo": "b", "number": 1})
print(plain["title"], plain.get("titel"), "titel" in plain)
plain["mine"] = 1
print(plain["mine"])
server = "forge" if plain else "crm"
other = await call(server, "get_contact", {"contact_id": "1"})
print(other["anything"])
tool = "list_issues"
third = await call("forge", tool, {"owner": "a", "repo": "b"})
print(third["anything"])


def call_mcp_tool(*arguments):
    return {"titel": arguments}


print(call_mcp_tool("forge", "get_issue", {"owner": "a"})["titel"])
