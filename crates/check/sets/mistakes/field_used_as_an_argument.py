# expect: unknown-field 5
from servers.crm import list_deals, get_contact

for deal in (await list_deals(stage="won"))["deals"]:
    person = await get_contact(contact_id=deal["contact"])
    print(person["email"])
