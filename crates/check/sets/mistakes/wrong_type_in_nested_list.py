# expect: wrong-type 4
from servers.crm import update_contact

contact = await update_contact(contact_id="c-1", changes={"tags": "vip"})
print(contact["tags"])
