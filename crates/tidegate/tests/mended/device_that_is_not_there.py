# said: get_devices lists them
# value: 3
from servers.data import get_devices, query_device_history
history = await query_device_history('lamp', limit=3)
return len(history['points'])
# mended:
from servers.data import get_devices, query_device_history
first = (await get_devices())['devices'][0]
history = await query_device_history(first['id'], limit=3)
return len(history['points'])
