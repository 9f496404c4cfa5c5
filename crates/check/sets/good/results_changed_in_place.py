from servers.crm import get_contact

contact = await get_contact(contact_id="c-17")
more = {"url": 1, "nickname": "Al"}
contact.update(more)
print(contact["url"], contact["nickname"])
add = contact.update
add(score=3)
print(contact["score"])
