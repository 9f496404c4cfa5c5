# expect: wrong-type 5
from servers.crm import get_contact, send_email

contact = await get_contact(contact_id="c1")
await send_email(to=contact["email"], subject="Hello", body="Hi")
