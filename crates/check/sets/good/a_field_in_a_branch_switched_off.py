from servers.weather import current

DEBUG = False
answer = await current(city="Oslo")
if DEBUG:
    print(answer["debug_info"])
print(answer["temperature"])
