# expect: unknown-field 5
from servers.smart_home import list_devices

devices = (await list_devices())["devices"]
if any(not device["is_online"] for device in devices):
    print("something is off")
