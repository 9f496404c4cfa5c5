# expect: certain-crash 8
from servers.forge import list_issues

async def pages(repo):
    for page in range(1, 4):
        yield (await list_issues(owner="acme", repo=repo, page=page))["issues"]

for issues in pages("rocket"):
    print(len(issues))
