# expect: wrong-type 4
from servers.forge import get_repository

repo = await get_repository(42, "rocket")
print(repo["stars"])
