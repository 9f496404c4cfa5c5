# expect: certain-crash 5
from servers.forge import get_issue

issue = await get_issue(owner="acme", repo="rocket", number=1)
if issue["comments"] > "5":
    print("busy")
