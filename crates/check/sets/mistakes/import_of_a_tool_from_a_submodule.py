# expect: unknown-server 2
from servers.github.issues import list_issues

print(await list_issues(owner="acme", repo="rocket"))
