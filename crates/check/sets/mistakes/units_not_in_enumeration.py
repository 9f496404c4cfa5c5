# expect: wrong-value 4
from servers.weather import current

now = await current(city="Oslo", units="celsius")
print(now["temperature"])
