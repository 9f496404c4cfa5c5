# expect: missing-await 5
import asyncio
from servers.weather import current

oslo, lima = asyncio.gather(current(city="Oslo"), current(city="Lima"))
print(oslo["temperature"] - lima["temperature"])
