from servers.crm import get_contact

cache = {"x": {"mail": "a@b"}}

async def contact(one):
    if one not in cache:
        cache[one] = await get_contact(contact_id=one)
    return cache[one]

print((await contact("x"))["mail"])
