# expect: unknown-field 5
from servers.weather import forecast

answer = await forecast(city="Oslo", days=5)
hottest = max(day["temperature"] for day in answer["days"])
print(hottest)
