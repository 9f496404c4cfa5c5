from servers.forge import get_issue

issue = await get_issue(owner="acme", repo="rocket", number=1)
try:
    name = issue["titel"]
except KeyError:
    name = issue["title"]
print(name)
