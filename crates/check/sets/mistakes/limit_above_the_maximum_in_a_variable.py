# expect: wrong-value 5
from servers.forge import list_issues

MAX = 500
answer = await list_issues(owner="acme", repo="rocket", per_page=MAX)
print(answer["total"])
