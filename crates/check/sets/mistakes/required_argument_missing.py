# expect: missing-argument 4
from servers.forge import get_issue

issue = await get_issue(owner="acme", repo="rocket")
print(issue["title"])
