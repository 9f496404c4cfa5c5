# expect: certain-crash 13
from servers.forge import list_issues

async def pages(repo):
    page = 1
    while True:
        answer = await list_issues(owner="acme", repo=repo, page=page)
        if not answer["issues"]:
            return
        yield answer["issues"]
        page += 1

for issues in await pages("rocket"):
    print(len(issues))
