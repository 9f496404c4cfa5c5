# expect: certain-crash 8
from servers.weather import current

def warm(reading, limit):
    return reading["temperature"] > limit

readings = [await current(city=city) for city in ("Oslo", "Lima")]
print([reading for reading in readings if warm(reading)])
