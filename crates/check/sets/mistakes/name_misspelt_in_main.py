# expect: undefined-name 11
import asyncio
from servers.forge import list_issues


async def main():
    found = await list_issues(owner="acme", repo="rocket")
    total = 0
    for issue in found["issues"]:
        total += issue["comments"]
    return totl / len(found["issues"])


asyncio.run(main())
