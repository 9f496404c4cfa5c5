# expect: unknown-tool 2
from servers.forge import list_isues

found = await list_isues(owner="acme", repo="rocket")
print(found["total"])
