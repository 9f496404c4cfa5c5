import asyncio
from servers.weather import current

found = await asyncio.gather(current(city="Oslo"), current(city="Lima"), return_exceptions=True)
for one in found:
    if isinstance(one, Exception):
        print("failed", one)
    else:
        print(one["temperature"])
