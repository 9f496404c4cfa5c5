# expect: certain-crash 4
from servers.forge import list_issues

per_page = int("fifty")
print((await list_issues(owner="acme", repo="rocket", per_page=per_page))["total"])
