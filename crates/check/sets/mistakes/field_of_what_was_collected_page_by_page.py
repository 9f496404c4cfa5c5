# expect: unknown-field 13
from servers.forge import list_issues


async def everything():
    issues = []
    for page in range(1, 4):
        found = await list_issues(owner="acme", repo="rocket", page=page)
        issues.extend(found["issues"])
    return issues


print(sum(issue["coments"] for issue in await everything()))
