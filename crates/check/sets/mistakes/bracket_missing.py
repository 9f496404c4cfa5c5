# expect: syntax 4
from servers.weather import current

now = await current(city="Oslo"
print(now["temperature"])
