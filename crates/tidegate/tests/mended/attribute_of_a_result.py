# said: write ["count"] instead of .count
# value: 99
from servers.data import get_devices, query_device_history
found = await get_devices()
return found.count
# mended:
from servers.data import get_devices, query_device_history
found = await get_devices()
return found["count"]
