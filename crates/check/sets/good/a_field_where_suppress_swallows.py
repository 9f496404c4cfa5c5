from contextlib import suppress
from servers.forge import get_issue

issue = await get_issue(owner="acme", repo="rocket", number=1)
with suppress(KeyError):
    print(issue["titel"])
print(issue["title"])
