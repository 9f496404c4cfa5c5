# expect: unknown-argument 4
from servers.crm import find_contacts

found = await find_contacts(query="a", filters={"country": "NO"}, limit=10)
print(len(found["contacts"]))
