# expect: certain-crash 5
from servers.forge import list_issues

found = await list_issues(owner="acme", repo="rocket")
print(sorted(found["issues"], lambda issue: issue["number"]))
