# expect: unknown-field 7
import asyncio
from servers.weather import current

cities = ["Oslo", "Lima"]
for city, reading in zip(cities, await asyncio.gather(*[current(city=city) for city in cities])):
    print(city, reading["temprature"])
