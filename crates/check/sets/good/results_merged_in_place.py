from servers.crm import get_contact

contact = await get_contact(contact_id="c-17")
contact |= {"nickname": "Al"}
print(contact["nickname"])
