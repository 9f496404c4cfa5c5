# expect: undefined-name 6
from servers.weather import current

reading = await current(city="Oslo")
if reading["temperature"] > 20:
    print(readng["conditions"])
