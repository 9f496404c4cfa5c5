from servers.crm import create_contact, find_contacts
from servers.weather import current, forecast

cities = ["Oslo", "Rome"]
answer = await current(city="Oslo") if len(cities) > 2 else await forecast(city="Rome", days=3)
print(answer["city"])
if "temperature" in answer:
    print(answer["temperature"])
else:
    print(answer["days"])
found = await find_contacts(query="Ann")
if not found["contacts"]:
    found = await create_contact(first_name="Ann", last_name="Ode", email="ann@example.com")
print(found.get("id") or found["contacts"][0]["id"])
