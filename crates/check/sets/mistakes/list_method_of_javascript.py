# expect: certain-crash 7
from servers.forge import list_issues

found = await list_issues(owner="acme", repo="rocket")
titles = []
for issue in found["issues"]:
    titles.push(issue["title"])
print(titles)
