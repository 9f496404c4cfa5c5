# expect: wrong-type 5
from functools import partial
from servers.weather import forecast

week = partial(forecast, days="7")
for city in ["Oslo", "Lima"]:
    print((await week(city=city))["days"][0]["high"])
