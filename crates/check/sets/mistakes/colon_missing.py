# expect: syntax 5
from servers.forge import list_issues

found = await list_issues(owner="acme", repo="rocket")
for issue in found["issues"]
    print(issue["title"])
