# said: test it first, `total / count if count else 0`
# value: "none there"
from servers.data import get_devices, query_device_history
found = await get_devices(room='cellar of nobody')
return sum(one['online'] for one in found['devices']) / found['count']
# mended:
from servers.data import get_devices, query_device_history
found = await get_devices(room='cellar of nobody')
if not found['count']:
    return "none there"
return sum(one['online'] for one in found['devices']) / found['count']
