# said: loop over what is under one of them
# value: true
from servers.data import get_devices, query_device_history
found = await get_devices()
return len([one for one in found if one['online']]) > 0
# mended:
from servers.data import get_devices, query_device_history
found = await get_devices()
return len([one for one in found['devices'] if one['online']]) > 0
