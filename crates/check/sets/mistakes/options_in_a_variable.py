# expect: unknown-argument 7
from servers.forge import list_issues

options = {
    "owner": "acme",
    "repo": "rocket",
    "status": "open",
}
found = await list_issues(**options)
print(found["total"])
