# expect: certain-crash 6
from servers.weather import current

cities = ["Oslo", "Lima"]
await current(city=cities[0])
print(cities[2])
