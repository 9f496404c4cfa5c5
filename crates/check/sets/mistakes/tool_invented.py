# expect: unknown-tool 3
import asyncio
from servers.crm import find_contacts, delete_contact


async def main():
    found = await find_contacts(query="spam")
    for contact in found["contacts"]:
        await delete_contact(contact_id=contact["id"])


asyncio.run(main())
