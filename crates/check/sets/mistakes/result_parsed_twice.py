# expect: certain-crash 5
import json
from servers.weather import current

now = json.loads(await current(city="Oslo"))
print(now["temperature"])
