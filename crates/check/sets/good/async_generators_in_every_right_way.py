import asyncio
from servers.forge import list_issues

async def pages(repo):
    for page in range(1, 3):
        answer = await list_issues(owner="acme", repo=repo, page=page)
        yield answer["issues"]

async def first_of(repo):
    async for issues in pages(repo):
        return issues
    return []

found = [issue["title"] async for issues in pages("rocket") for issue in issues]
generator = pages("rocket")
print(len(found), len(await anext(generator)), len(await generator.__anext__()), await first_of("rocket"))
await generator.aclose()
