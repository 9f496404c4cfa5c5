# expect: missing-await 10
import asyncio
from servers.weather import current


async def main():
    cities = ["Oslo", "Lima"]
    found = asyncio.gather(*[current(city=city) for city in cities])
    total = 0
    for one in found:
        total += one["temperature"]
    return total / len(cities)


await main()
