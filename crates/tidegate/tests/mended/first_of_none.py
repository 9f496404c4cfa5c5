# said: It is an empty list
# value: "none there"
from servers.data import get_devices, query_device_history
found = await get_devices(room='nowhere')
return found['devices'][0]['id']
# mended:
from servers.data import get_devices, query_device_history
found = await get_devices(room='nowhere')
return found['devices'][0]['id'] if found['devices'] else "none there"
