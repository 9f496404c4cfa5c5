# expect: certain-crash 15
from dataclasses import dataclass

from servers.weather import current


@dataclass
class Reading:
    city: str
    temperature: float


now = await current(city="Oslo")
reading = Reading("Oslo", now["temperature"])
print(f"{reading.city}: {reading.temprature} degrees")
