# expect: missing-await 4 advice
from servers.weather import current

now = current(city="Oslo")
print(now["temperature"])
