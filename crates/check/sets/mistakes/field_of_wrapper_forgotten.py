# expect: unknown-field 5
from servers.forge import list_issues

found = await list_issues(owner="acme", repo="rocket", state="open")
open_ones = [issue["title"] for issue in found["items"]]
print(open_ones)
