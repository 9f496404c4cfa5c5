# expect: missing-await 7
from servers.weather import current

async def both(city):
    return city, await current(city=city)

name, reading = both("Oslo")
