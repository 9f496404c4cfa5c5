# expect: unknown-field 5
from servers.weather import current, forecast
cities = ["Oslo", "Rome"]
now = await current(city="Oslo") if len(cities) > 2 else await forecast(city="Rome", days=3)
print(now["country"])
