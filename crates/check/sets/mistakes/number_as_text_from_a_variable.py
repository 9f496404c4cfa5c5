# expect: wrong-type 5
from servers.weather import forecast

days = "7"
answer = await forecast(city="Oslo", days=days)
print(len(answer["days"]))
