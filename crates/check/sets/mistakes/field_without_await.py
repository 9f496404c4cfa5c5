# expect: unknown-field 5
from servers.smart_home import list_devices

devices = list_devices()
print(devices["total"])
