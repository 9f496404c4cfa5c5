from servers.weather import current

answer = await current(city="Oslo")
if True:
    print(answer["temperature"])
else:
    print(answer["temp"])
