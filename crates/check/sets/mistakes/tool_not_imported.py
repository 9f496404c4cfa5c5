# expect: undefined-name 6
from servers.crm import find_contacts

found = await find_contacts(query="acme")
for contact in found["contacts"]:
    await send_email(to=[contact["email"]], subject="Hello", body="Hi")
