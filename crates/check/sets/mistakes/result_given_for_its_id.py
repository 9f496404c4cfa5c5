# expect: wrong-type 4
from servers.crm import create_contact, get_contact
made = await create_contact(first_name="Ann", last_name="Ode", email="ann@example.com")
contact = await get_contact(made)
print(contact["email"])
