# expect: unknown-field 6
from servers.forge import list_issues

page = 1
found = []
while (answer := await list_issues(owner="acme", repo="rocket", page=page))["items"]:
    found.extend(answer["issues"])
    page += 1
print(len(found))
