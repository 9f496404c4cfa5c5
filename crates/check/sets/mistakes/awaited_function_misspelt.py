# expect: undefined-name 10
import asyncio
from servers.weather import current


async def fetch_all(cities):
    return await asyncio.gather(*[current(city=city) for city in cities])


answers = await fetchAll(["Oslo", "Lima"])
print(len(answers))
