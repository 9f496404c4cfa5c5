# expect: unknown-field 10
from servers.weather import current


async def look(city):
    return await current(city=city)


oslo = await look("Oslo")
print(oslo.temperature)
