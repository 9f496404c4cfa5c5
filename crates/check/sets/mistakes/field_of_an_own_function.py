# expect: unknown-field 7
from servers.crm import get_contact

async def contact(name):
    return await get_contact(contact_id=name)

print((await contact("a"))["frist_name"])
