# expect: certain-crash 5
from servers.forge import list_issues

for issue in await list_issues(owner="acme", repo="rocket"):
    print(issue["title"])
