# expect: certain-crash 5
from servers.forge import get_issue

issue = await get_issue(owner="acme", repo="rocket", number=7)
print(f"{issue['author']:>20}")
