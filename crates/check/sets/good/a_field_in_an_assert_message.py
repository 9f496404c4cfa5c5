from servers.weather import current

answer = await current(city="Oslo")
assert answer["temperature"] is not None, answer["temp"]
print(answer["temperature"])
