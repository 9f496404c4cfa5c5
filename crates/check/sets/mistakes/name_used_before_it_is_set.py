# expect: undefined-name 4
from servers.weather import current

print(f"In {city} it is cold.")
city = "Oslo"
now = await current(city=city)
