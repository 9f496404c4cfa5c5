from servers.crm import update_contact
from servers.weather import history

changes = {}
changes["first_name"] = "Ann"
changes.update(last_name="Lee")
print(await update_contact(contact_id="c1", changes=changes))
place = dict(latitude=59.9, longitude=10.7)
print(await history(location=place, start="2026-01-01", end="2026-01-31"))
place = dict(zip(("latitude", "longitude"), (1.0, 2.0)))
print(await history(location={**place}, start="2026-01-01", end="2026-01-31"))
