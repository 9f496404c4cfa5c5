# expect: wrong-type 6
from servers.crm import find_contacts, send_email

found = await find_contacts(query="newsletter")
addresses = [contact["email"] for contact in found["contacts"]]
sent = await send_email(to=", ".join(addresses), subject="News", body="Spring is here")
print(sent["message_id"])
