# expect: certain-crash 5
import asyncio
from servers.weather import current

async with asyncio.timeout(seconds=5):
    print(await current(city="Oslo"))
