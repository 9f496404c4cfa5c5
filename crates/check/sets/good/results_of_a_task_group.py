import asyncio
from servers.crm import get_contact, list_deals

async with asyncio.TaskGroup() as group:
    person = group.create_task(get_contact(contact_id="c1"))
    deals = group.create_task(list_deals())
print(person.result()["email"], len(deals.result()["deals"]))
