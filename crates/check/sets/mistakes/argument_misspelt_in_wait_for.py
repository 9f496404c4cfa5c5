# expect: unknown-argument 5
import asyncio
from servers.weather import forecast

answer = await asyncio.wait_for(forecast(city="Oslo", day=3), timeout=10)
print(answer["days"])
