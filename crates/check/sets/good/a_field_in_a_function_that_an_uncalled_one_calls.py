from servers.forge import get_issue

def inner(issue):
    return issue["titel"]

def outer(issue):
    return inner(issue)

issue = await get_issue(owner="acme", repo="rocket", number=1)
print(issue["title"])
