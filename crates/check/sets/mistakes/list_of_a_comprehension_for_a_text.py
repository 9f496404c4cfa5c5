# expect: wrong-type 5
from servers.crm import find_contacts, get_contact

ids = [one["id"] for one in (await find_contacts(query="a"))["contacts"]]
print(await get_contact(contact_id=ids))
