from servers.crm import get_contact

async def find(one):
    person = await get_contact(contact_id=one)
    if person["email"]:
        return person
    raise LookupError(one)
    return person["mail"]

print((await find("c1"))["email"])
