# said: division by zero
# value: "none there"
# names the fix: no
from servers.data import get_devices, query_device_history
found = await get_devices(room='cellar of nobody')
return sum(one['online'] for one in found['devices']) / found['count']
# mended:
from servers.data import get_devices, query_device_history
found = await get_devices(room='cellar of nobody')
if not found['count']:
    return "none there"
return sum(one['online'] for one in found['devices']) / found['count']
