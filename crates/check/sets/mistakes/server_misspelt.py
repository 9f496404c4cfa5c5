# expect: unknown-server 2
from servers.wether import current

now = await current(city="Bergen")
print(now)
