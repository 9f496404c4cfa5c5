# expect: unknown-field 13
import asyncio
from servers.weather import current


async def look(city):
    async with asyncio.Semaphore(2):
        return await current(city=city)


async def main():
    for found in await asyncio.gather(*[look(city) for city in ("Oslo", "Lima")]):
        print(found["temprature"])


await main()
