# expect: unknown-field 8
import asyncio
from servers.weather import current

cities = ["Oslo", "Lima", "Rome"]
found = await asyncio.gather(*[current(city=city) for city in cities])
for city, now in zip(cities, found):
    print(city, now["temp_c"])
