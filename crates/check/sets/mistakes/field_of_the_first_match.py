# expect: unknown-field 7
from servers.forge import list_issues

answer = await list_issues(owner="acme", repo="rocket")
first = next((issue for issue in answer["issues"] if issue["state"] == "open"), None)
if first:
    print(first["heading"])
