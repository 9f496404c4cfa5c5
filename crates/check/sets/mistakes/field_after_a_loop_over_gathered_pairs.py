# expect: unknown-field 10
import asyncio
from servers.forge import get_repository, list_issues

async def both(repo):
    about, issues = await asyncio.gather(
        get_repository(owner="acme", repo=repo),
        list_issues(owner="acme", repo=repo),
    )
    return about["stars"], issues["count"]

print(await both("rocket"))
