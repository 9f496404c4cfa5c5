# expect: certain-crash 6
import asyncio
from servers.weather import current

cities = ["Oslo", "Lima"]
answers = await asyncio.gather([current(city=city) for city in cities])
print(len(answers))
