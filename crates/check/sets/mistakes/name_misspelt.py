# expect: undefined-name 6
from servers.weather import forecast

answer = await forecast(city="Oslo", days=3)
highs = [day["high"] for day in answer["days"]]
print(max(hihgs))
