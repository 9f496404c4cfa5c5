from servers.crm import find_contacts, get_contact, update_contact
from servers.files import read_text
from servers.forge import get_issue
from servers.weather import current, forecast

found = await find_contacts(query="Ann")
contact = found["contacts"][0]
whole = await get_contact({"contact_id": contact["id"]})
again = await get_contact(dict(contact_id=contact["id"]))
third = await get_contact(contact["id"])
path = await read_text(path="a.txt")
text = await read_text(path)
now = await current("Oslo")
place = {"city": now["city"], "days": 3}
later = await forecast(place)
await update_contact(contact["id"], {"company": whole["company"] if "company" in whole else "none"})
print(again["email"], third["email"], text, later["days"], (await get_issue(**{"owner": "a", "repo": "b", "number": 3}))["title"])
