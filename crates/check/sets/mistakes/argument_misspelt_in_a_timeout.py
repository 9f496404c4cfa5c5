# expect: unknown-argument 6
import asyncio
from servers.weather import current

async with asyncio.timeout(5):
    now = await current(town="Oslo")
print(now["temperature"])
