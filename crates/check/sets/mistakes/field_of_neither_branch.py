# expect: unknown-field 8
from servers.crm import create_contact, find_contacts
found = await find_contacts(query="Ann")
if found["contacts"]:
    answer = found
else:
    answer = await create_contact(first_name="Ann", last_name="Ode", email="ann@example.com")
print(answer["contact"])
