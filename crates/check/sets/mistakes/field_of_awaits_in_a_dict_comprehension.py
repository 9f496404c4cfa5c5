# expect: unknown-field 5
from servers.weather import current

cities = ["Oslo", "Lima"]
print({city: (await current(city=city))["temp"] for city in cities})
