# expect: unknown-argument 4
from servers.crm import get_contact

contact = await get_contact(contactId="c-17")
print(contact["email"])
