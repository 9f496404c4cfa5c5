# expect: unknown-field 5
from servers.weather import forecast

days = (await forecast(city="Oslo", days=5))["days"]
coldest = min(days, key=lambda day: day["min"])
print(coldest["date"])
