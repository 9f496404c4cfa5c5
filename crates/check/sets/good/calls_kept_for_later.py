import asyncio
from servers.weather import current

pending = [current(city=city) for city in ("Oslo", "Lima")]
pending.append(current(city="Pune"))
answers = await asyncio.gather(*pending, return_exceptions=True)
good = [answer for answer in answers if not isinstance(answer, Exception)]
tasks = {city: asyncio.create_task(current(city=city)) for city in ("Rome", "Bern")}
results = {city: await task for city, task in tasks.items()}
first = await asyncio.wait_for(current(city="Oslo"), timeout=10)
[len(good), results["Rome"]["conditions"], first["city"]]
