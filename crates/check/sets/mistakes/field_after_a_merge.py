# expect: unknown-field 6
from servers.crm import get_contact

person = await get_contact(contact_id="c1")
row = {**person, "seen": True}
print(row["surname"])
