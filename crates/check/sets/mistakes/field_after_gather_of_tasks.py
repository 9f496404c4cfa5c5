# expect: unknown-field 7
import asyncio
from servers.crm import get_contact

tasks = [asyncio.create_task(get_contact(contact_id=one)) for one in ["c1", "c2"]]
people = await asyncio.gather(*tasks)
print([person["name"] for person in people])
