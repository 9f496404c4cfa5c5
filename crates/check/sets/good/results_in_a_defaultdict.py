from collections import ChainMap, defaultdict
from servers.weather import current

now = defaultdict(str, await current(city="Oslo"))
both = ChainMap({"temp": 1}, await current(city="Lima"))
print(now["nothing"], both["temp"], both["city"])
