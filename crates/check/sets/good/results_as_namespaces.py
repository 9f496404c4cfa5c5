from types import SimpleNamespace
from servers.weather import current

now = SimpleNamespace(**await current(city="Oslo"))
print(now.temperature, now.city)
