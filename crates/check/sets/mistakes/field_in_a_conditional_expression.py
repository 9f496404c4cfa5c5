# expect: unknown-field 5
from servers.weather import current

now = await current(city="Oslo")
print(now["temp"] if now else "nothing known")
