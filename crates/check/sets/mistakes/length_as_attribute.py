# expect: certain-crash 5
from servers.crm import find_contacts

found = await find_contacts(query="acme")
print(found["contacts"].length)
