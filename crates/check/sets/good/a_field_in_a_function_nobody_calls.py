from servers.forge import get_issue

def old_format(issue):
    return issue["titel"]

issue = await get_issue(owner="acme", repo="rocket", number=1)
print(issue["title"])
