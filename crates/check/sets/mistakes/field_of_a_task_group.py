# expect: unknown-field 8
import asyncio
from servers.crm import get_contact

async with asyncio.TaskGroup() as group:
    first = group.create_task(get_contact(contact_id="c1"))
    second = group.create_task(get_contact(contact_id="c2"))
print(first.result()["email"], second.result()["mail"])
