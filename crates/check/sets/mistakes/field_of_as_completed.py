# expect: unknown-field 8
import asyncio
from servers.weather import current

calls = [current(city=city) for city in ("Oslo", "Lima")]
for done in asyncio.as_completed(calls):
    now = await done
    print(now["city"], now["temp"])
