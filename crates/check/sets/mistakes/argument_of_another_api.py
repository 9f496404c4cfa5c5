# expect: unknown-argument 4
from servers.forge import list_issues

found = await list_issues(owner="acme", repo="rocket", state="open", sort="created", per_page=50)
print(found["total"])
