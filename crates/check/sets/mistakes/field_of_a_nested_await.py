# expect: unknown-field 4
from servers.crm import find_contacts, get_contact

person = await get_contact(contact_id=(await find_contacts(query="ann"))["results"][0]["id"])
print(person["email"])
