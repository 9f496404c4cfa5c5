# expect: certain-crash 11
from dataclasses import dataclass
from servers.weather import current

@dataclass
class Reading:
    city: str
    celsius: float

now = await current(city="Oslo")
reading = Reading(city=now["city"], temperature=now["temperature"])
print(reading)
