# expect: unknown-tool 10
from servers.smart_home import list_devices
import servers.smart_home as home

for device in (await list_devices())["devices"]:
    match device["kind"]:
        case "light":
            await home.set_light(device_id=device["id"], on=False)
        case "thermostat":
            await home.set_temprature(device_id=device["id"], celsius=18)
        case _:
            pass
