# expect: unknown-field 6
import asyncio
from servers.weather import current

oslo, lima = await asyncio.gather(current(city="Oslo"), current(city="Lima"))
print(oslo["temp"] - lima["temperature"])
