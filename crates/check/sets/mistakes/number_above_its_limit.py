# expect: wrong-value 4
from servers.forge import list_issues

found = await list_issues(owner="acme", repo="rocket", per_page=500)
print(len(found["issues"]))
