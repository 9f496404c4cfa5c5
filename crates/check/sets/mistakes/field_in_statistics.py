# expect: unknown-field 6
import statistics
from servers.weather import forecast

days = (await forecast(city="Oslo", days=7))["days"]
print(statistics.mean(day["temperature"] for day in days))
