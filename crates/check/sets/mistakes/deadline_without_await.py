# expect: missing-await 6
import asyncio
from servers.weather import current

oslo = asyncio.wait_for(current(city="Oslo"), timeout=5)
print(oslo["temperature"])
