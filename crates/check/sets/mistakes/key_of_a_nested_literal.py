# expect: certain-crash 5
from servers.weather import current

CITIES = {"oslo": {"name": "Oslo", "country": "Norway"}}
now = await current(city=CITIES["oslo"]["title"])
print(now["temperature"])
