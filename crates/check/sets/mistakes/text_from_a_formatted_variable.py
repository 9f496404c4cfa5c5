# expect: wrong-type 5
from servers.weather import forecast

days = f"{3}"
print(await forecast(city="Oslo", days=days))
