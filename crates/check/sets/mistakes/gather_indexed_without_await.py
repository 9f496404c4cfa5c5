# expect: missing-await 6
import asyncio
from servers.weather import current

found = asyncio.gather(current(city="Oslo"), current(city="Lima"))
print(found[0]["temperature"])
