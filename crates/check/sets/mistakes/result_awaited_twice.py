# expect: certain-crash 5
from servers.weather import current

now = await current(city="Oslo")
later = await now
print(later)
