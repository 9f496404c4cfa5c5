# expect: certain-crash 5
from servers.forge import get_repository

repo = await get_repository(owner="acme", repo="rocket")
print("stars: " + repo["stars"])
