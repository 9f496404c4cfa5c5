# expect: missing-await 5
import asyncio
from servers.weather import current

print(asyncio.wait_for(current(city="Oslo"), 5)["temperature"])
