# expect: certain-crash 5
from servers.weather import current

now = await current(city="Oslo")
print(now["humidity"].strip("%"))
