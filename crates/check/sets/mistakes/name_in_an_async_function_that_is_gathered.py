# expect: undefined-name 7
import asyncio
from servers.weather import current

async def reading(city):
    answer = await current(city=city)
    return anser["temperature"]

print(await asyncio.gather(*[reading(city) for city in ("Oslo", "Lima")]))
