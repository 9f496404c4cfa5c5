# expect: wrong-type 6
from servers.smart_home import set_light
from servers.weather import current

now = await current(city="Oslo")
await set_light(device_id="l1", on=True, brightness=now["conditions"])
