from servers.weather import current

answer = await current(city="Oslo")
warm = answer["temp"] if "temp" in answer else answer["temperature"]
print(warm)
