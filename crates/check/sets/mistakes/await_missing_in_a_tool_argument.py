# expect: missing-await 7
from servers.crm import find_contacts, get_contact

async def first_id():
    return (await find_contacts(query="a"))["contacts"][0]["id"]

print(await get_contact(contact_id=first_id()))
