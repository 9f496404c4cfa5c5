from servers.weather import forecast

oslo, lima = [(await forecast(city=city, days=3))["days"] for city in ("Oslo", "Lima")]
for number, (one, other) in enumerate(zip(oslo, lima, strict=True), 1):
    print(number, one["high"] - other["high"], one["summary"])
print(dict(zip([day["date"] for day in oslo], [day["low"] for day in oslo])), list(zip(*[(day["low"], day["high"]) for day in oslo])))
