import sys
from servers.weather import current

answer = await current(city="Oslo")
print(answer["temperature"])
if answer["temperature"] < 100:
    sys.exit(0)
print(answer["temp"])
