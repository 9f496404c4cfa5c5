# expect: missing-argument 9
import asyncio
from servers.weather import forecast

cities = ["Oslo", "Lima", "Pune"]


async def week(city):
    answer = await forecast(city=city)
    return [day["high"] for day in answer["days"]]


highs = await asyncio.gather(*[week(city) for city in cities])
dict(zip(cities, highs))
