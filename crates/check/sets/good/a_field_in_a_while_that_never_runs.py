from servers.weather import current

answer = await current(city="Oslo")
while False:
    print(answer["temp"])
print(answer["humidity"])
