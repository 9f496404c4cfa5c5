from servers.crm import get_contact

person = await get_contact(contact_id="c1")
row = {**person, "seen": True}
other = person | {"phone": "1"}
third = dict(person, age=3)
print(row["seen"], other["phone"], third["age"], row["email"])
