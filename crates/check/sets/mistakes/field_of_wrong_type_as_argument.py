# expect: wrong-type 6
from servers import crm

deals = await crm.list_deals(stage="won")
for deal in deals["deals"]:
    contact = await crm.get_contact(contact_id=deal["amount"])
    print(contact["email"])
