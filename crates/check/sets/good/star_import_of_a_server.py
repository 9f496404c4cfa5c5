from servers.weather import *

now = await current(city="Oslo")
week = await forecast("Oslo", 7)
[now["conditions"], max(day["high"] for day in week["days"])]
