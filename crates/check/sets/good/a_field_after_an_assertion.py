from servers.weather import current

answer = await current(city="Oslo")
keys = set(answer)
if {"temp", "wind"} <= keys:
    print(answer["temp"])
print(answer["temperature"])
