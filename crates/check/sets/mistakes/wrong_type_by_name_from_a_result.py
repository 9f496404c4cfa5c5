# expect: wrong-type 6
from servers.forge import list_issues

found = await list_issues(owner="acme", repo="rocket")
first = found["issues"][0]
await call_mcp_tool("forge", "get_issue", {"owner": "acme", "repo": "rocket", "number": first["title"]})
