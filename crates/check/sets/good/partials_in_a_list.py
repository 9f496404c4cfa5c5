import asyncio
from functools import partial
from servers.weather import forecast

calls = [partial(forecast, city=city) for city in ("Oslo", "Lima")]
print(await asyncio.gather(*[call(days=number) for number, call in enumerate(calls, start=1)]))
