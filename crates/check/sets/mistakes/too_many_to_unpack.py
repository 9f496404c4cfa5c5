# expect: certain-crash 3
from servers.weather import current
city, country = ("Oslo", "NO", "Europe")
print(await current(city=city), country)
