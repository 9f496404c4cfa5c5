# expect: unknown-argument 5
from servers.crm import update_contact

async def rename(contact, first, last):
    return await update_contact(contact_id=contact, changes={"firstname": first, "last_name": last})

print((await rename("c1", "Ann", "Lee"))["email"])
