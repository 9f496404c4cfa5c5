# expect: certain-crash 5
from servers.forge import get_repository

repo = await get_repository("acme", "rocket")
print(repo["owner"]["login"])
