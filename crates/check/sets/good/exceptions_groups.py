import asyncio
from servers.weather import current

try:
    async with asyncio.TaskGroup() as group:
        group.create_task(current(city="Oslo"))
except* ValueError as errors:
    print(errors.exceptions)
