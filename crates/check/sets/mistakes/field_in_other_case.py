# expect: unknown-field 5
from servers.crm import get_contact

contact = await get_contact(contact_id="c-1")
full = f"{contact['firstName']} {contact['last_name']}"
print(full)
