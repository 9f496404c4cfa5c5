# expect: certain-crash 8
from servers.weather import current

async def show(city, *, units="metric"):
    now = await current(city=city, units=units)
    print(now["temperature"])

await show("Oslo", unit="imperial")
