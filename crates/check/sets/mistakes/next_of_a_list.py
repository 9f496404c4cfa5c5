# expect: certain-crash 5
from servers.smart_home import list_devices

devices = (await list_devices())["devices"]
first = next([device for device in devices if device["online"]])
print(first)
