# expect: wrong-value 4
from servers.weather import forecast

answer = await forecast(city="Oslo", days=30)
print([day["date"] for day in answer["days"]])
