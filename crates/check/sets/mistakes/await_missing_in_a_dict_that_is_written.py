# expect: missing-await 9
import json
from servers.weather import current


async def reading(city):
    return (await current(city=city))["temperature"]

print(json.dumps({"Oslo": reading("Oslo")}))
