# expect: missing-await 6
import asyncio
from servers.weather import current

oslo = asyncio.create_task(current(city="Oslo"))
print(oslo["temperature"])
