import asyncio
from servers.weather import current

for done in asyncio.as_completed([current(city="Oslo"), current(city="Lima")]):
    print((await done)["temperature"])
finished, waiting = await asyncio.wait([asyncio.create_task(current(city="Rome"))])
for task in finished:
    print(task.result()["city"], task.done())
