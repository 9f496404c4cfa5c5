import os
from servers.weather import current
from servers.smart_home import list_devices

reading = await current(city="Oslo")
try:
    print(unicode(reading["conditions"]))
except NameError:
    print(str(reading["conditions"]))
if os.environ.get("TIDEGATE_DEBUG_OF_MINE"):
    pprint(reading)
DEBUG = False
for device in (await list_devices())["devices"]:
    if DEBUG:
        breakdown(device)
    found = device["name"]
    print(found)


async def later():
    return nothing_of_this_name


kept = later()
kept.close()
print("done")
