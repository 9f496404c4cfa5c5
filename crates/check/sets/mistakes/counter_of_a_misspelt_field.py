# expect: unknown-field 6
from collections import Counter
from servers.smart_home import list_devices

devices = (await list_devices())["devices"]
print(Counter(device["type"] for device in devices).most_common(3))
