# expect: unknown-field 5
from servers.crm import get_contact

person = dict(await get_contact(contact_id="c1"))
print(person["phone"])
