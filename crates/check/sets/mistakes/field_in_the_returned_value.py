# expect: unknown-field 5
from servers.weather import current

now = await current(city="Oslo")
return {"city": now["city"], "feels": now["feels_like"]}
