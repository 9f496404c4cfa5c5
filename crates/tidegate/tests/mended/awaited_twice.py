# said: leave out `await`
# value: 99
from servers.data import get_devices, query_device_history
found = await get_devices()
return (await found)['count']
# mended:
from servers.data import get_devices, query_device_history
found = await get_devices()
return found['count']
