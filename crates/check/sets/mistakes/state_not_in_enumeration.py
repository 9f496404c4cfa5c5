# expect: wrong-value 4
from servers.forge import list_issues

found = await list_issues(owner="acme", repo="rocket", state="opened")
print(found["total"])
