# expect: missing-await 7
from servers.weather import current

async def degrees(city):
    return (await current(city=city))["temperature"]

print(max([degrees(city) for city in ("Oslo", "Lima")]))
