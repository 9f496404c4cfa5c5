# expect: certain-crash 5
from servers.forge import list_issues

answer = await list_issues(owner="acme", repo="rocket")
for issue in answer["issues"]["items"]:
    print(issue["title"])
