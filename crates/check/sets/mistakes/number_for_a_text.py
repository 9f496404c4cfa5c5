# expect: wrong-type 4
from servers.crm import get_contact

contact = await get_contact(contact_id=17)
print(contact["email"])
