# expect: certain-crash 6
from servers.forge import create_issue

LABELS = {"low": "p3", "high": "p1"}
await create_issue(owner="acme", repo="rocket", title="Leak")
print(LABELS["hihg"])
