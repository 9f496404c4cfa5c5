# expect: unknown-field 8
import asyncio
from servers.weather import forecast

cities = ["Oslo", "Lima", "Pune"]
answers = await asyncio.gather(*(forecast(city=city, days=3) for city in cities))
for city, answer in zip(cities, answers):
    print(city, answer["days"][0]["max"])
