# expect: unknown-field 5
from servers.smart_home import list_devices

devices = await list_devices(room="hall")
devices.append({"id": "new"})
print(devices)
