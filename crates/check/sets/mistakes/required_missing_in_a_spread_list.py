# expect: missing-argument 5
from servers.forge import get_issue

place = ["acme", "rocket"]
print((await get_issue(*["acme", "rocket"]))["title"])
