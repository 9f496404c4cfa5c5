# expect: undefined-name 5
from servers.smart_home import list_devices

for device in (await list_devices())["devices"]:
    print(dev["name"])
