# expect: wrong-type 5
from servers.crm import find_contacts, log_activity

person = (await find_contacts(query="ann"))["contacts"][0]
await log_activity(contact_id=person, kind="call")
