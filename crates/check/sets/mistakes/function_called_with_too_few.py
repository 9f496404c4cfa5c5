# expect: certain-crash 10
from servers.weather import current


async def report(city, units):
    now = await current(city=city, units=units)
    return now["temperature"]


print(await report("Oslo"))
