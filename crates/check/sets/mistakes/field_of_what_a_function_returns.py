# expect: unknown-field 10
from servers.forge import list_issues


async def load(state):
    found = await list_issues(owner="acme", repo="rocket", state=state)
    return found["issues"]


print([issue["titel"] for issue in await load("open")])
