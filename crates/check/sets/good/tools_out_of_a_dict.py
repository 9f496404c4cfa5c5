from servers.forge import list_commits, list_issues
from servers.crm import list_deals

sources = {
    "issues": lambda: list_issues(owner="acme", repo="rocket"),
    "deals": list_deals,
}
print(await sources["issues"](), await sources["deals"](stage="won"))
tools = {"list_issues": list_issues, "list_commits": list_commits}
for name, tool in tools.items():
    print(name, await tool(owner="acme", repo="rocket"))
handler = tools.get("list_issues", list_commits)
print(await handler(owner="acme", repo="rocket"))
