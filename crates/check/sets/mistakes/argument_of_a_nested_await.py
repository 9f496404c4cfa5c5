# expect: unknown-argument 6
from servers.crm import find_contacts, list_deals, log_activity

first = (await list_deals(stage="won"))["deals"][0]
await log_activity(
    contact_id=(await find_contacts(name=first["title"]))["contacts"][0]["id"],
    kind="call",
)
