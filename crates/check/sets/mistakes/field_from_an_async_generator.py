# expect: unknown-field 11
from servers.forge import list_issues

async def issues_of(repo):
    for page in range(1, 4):
        answer = await list_issues(owner="acme", repo=repo, page=page)
        for issue in answer["issues"]:
            yield issue

async for issue in issues_of("rocket"):
    print(issue["id"])
