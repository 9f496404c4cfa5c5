import sys
from servers.forge import list_issues

if sys.version_info < (3, 0):
    answer = await list_issues(owner="acme", repository="rocket")
else:
    answer = await list_issues(owner="acme", repo="rocket")
print(answer["total"])
