# expect: wrong-type 4
from servers.forge import get_issue

issue = await get_issue(7, "acme", "rocket")
print(issue["title"])
