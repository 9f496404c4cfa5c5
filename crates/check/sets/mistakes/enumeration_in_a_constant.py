# expect: wrong-value 5
from servers.forge import list_issues

STATE = "opened"
answer = await list_issues(owner="acme", repo="rocket", state=STATE)
print(answer["total"])
