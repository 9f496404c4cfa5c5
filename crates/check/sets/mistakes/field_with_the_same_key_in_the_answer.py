# expect: unknown-field 5
from servers.weather import current

now = await current(city="Oslo")
{"city": now["city"], "temp": now["temp"]}
