# expect: wrong-type 4
from servers.forge import get_issue

issue = await get_issue(owner="acme", repo="rocket", number="42")
print(issue["state"])
