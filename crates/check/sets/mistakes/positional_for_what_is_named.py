# expect: unknown-argument 4
from servers.forge import list_issues

answer = await list_issues("acme", "rocket", "open")
print(answer["total"])
