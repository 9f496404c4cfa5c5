# expect: unknown-argument 4
from servers.smart_home import list_devices

devices = await list_devices("kitchen")
print(devices["count"])
