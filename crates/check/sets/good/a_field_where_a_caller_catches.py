from servers.forge import get_issue

def either(issue):
    return issue["titel"]

issue = await get_issue(owner="acme", repo="rocket", number=1)
try:
    print(either(issue))
except LookupError:
    print(issue["title"])
