# expect: missing-await 6
from asyncio import gather
from servers.weather import current

found = gather(current(city="Oslo"), current(city="Lima"))
print(max(one["temperature"] for one in found))
