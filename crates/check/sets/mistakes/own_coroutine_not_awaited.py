# expect: missing-await 12
import asyncio
from servers.weather import current


async def temperature(city):
    now = await current(city=city)
    return {"city": city, "value": now["temperature"]}


oslo = temperature("Oslo")
print(oslo["value"])
