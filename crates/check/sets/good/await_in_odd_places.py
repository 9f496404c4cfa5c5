from servers.crm import get_contact
from servers.weather import current

print((await current(city="Oslo"))["temperature"] + (await current(city="Lima"))["temperature"])
people = {one: await get_contact(contact_id=one) for one in ("c1", "c2")}
names = [person["first_name"] for person in [await get_contact(contact_id="c1")]]
warm = "warm" if (await current(city="Rome"))["temperature"] > 20 else "cold"
print(people["c1"]["email"], names, warm, f"{(await current(city='Oslo'))['humidity']}")
