# expect: certain-crash 5
from servers.weather import current

now = await current(city="Oslo")
print(f"{now['city']}: {now['conditions']:.1f}")
