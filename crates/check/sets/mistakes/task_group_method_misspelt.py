# expect: certain-crash 6
import asyncio
from servers.weather import current

async with asyncio.TaskGroup() as group:
    group.spawn(current(city="Oslo"))
