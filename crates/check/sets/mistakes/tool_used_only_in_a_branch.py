# expect: unknown-tool 7
from servers import smart_home

devices = await smart_home.list_devices(room="kitchen")
for device in devices["devices"]:
    if device["kind"] == "light":
        await smart_home.turn_on(device_id=device["id"])
    else:
        print("skipped", device["name"])
