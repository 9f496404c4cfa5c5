# expect: wrong-type 4
from servers.crm import find_contacts

found = await find_contacts(query="ann", filters="company=Acme")
print(found["contacts"])
