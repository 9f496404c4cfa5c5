# expect: certain-crash 6
import asyncio

from servers.weather import current

oslo, rome, paris = await asyncio.gather(current(city="Oslo"), current(city="Rome"))
print(oslo["temperature"], rome["temperature"])
