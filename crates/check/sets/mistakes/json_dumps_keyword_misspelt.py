# expect: certain-crash 5
import json
from servers.weather import current

print(json.dumps(await current(city="Oslo"), indnt=2))
