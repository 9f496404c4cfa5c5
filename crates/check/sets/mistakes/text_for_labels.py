# expect: wrong-type 4
from servers.forge import create_issue

made = await create_issue("acme", "rocket", "Engine stalls", labels="bug,urgent")
print(made["number"])
