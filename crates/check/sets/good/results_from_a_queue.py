import asyncio
from servers.weather import current

queue = asyncio.Queue()
await queue.put({"temp": 5})
await queue.put(await current(city="Oslo"))
print((await queue.get())["temp"], (await queue.get())["temperature"])
