# expect: wrong-type 5
from servers.crm import find_contacts, send_email

people = (await find_contacts(query="team"))["contacts"]
await send_email(to=[person for person in people], subject="Hello", body="Hi")
