# expect: syntax 5
from servers.weather import current

now = await current(city="Oslo"
print(now["temperature"])
