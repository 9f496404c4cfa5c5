# expect: wrong-type 6
from servers.crm import send_email, find_contacts

people = (await find_contacts(query="team"))["contacts"]
addresses = ", ".join(person["email"] for person in people)
await send_email(to=addresses, subject="Hello", body="Hi")
