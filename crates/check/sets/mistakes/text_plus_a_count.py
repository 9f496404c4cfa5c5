# expect: certain-crash 5
from servers.forge import list_issues

answer = await list_issues(owner="acme", repo="rocket")
print("Open issues: " + answer["total"])
