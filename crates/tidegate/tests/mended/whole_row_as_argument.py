# said: should be str, not
# value: true
from servers.data import get_devices, query_device_history
first = (await get_devices())['devices'][0]
history = await query_device_history(first, limit=3)
return history['device_id'] == first['id']
# mended:
from servers.data import get_devices, query_device_history
first = (await get_devices())['devices'][0]
history = await query_device_history(first['id'], limit=3)
return history['device_id'] == first['id']
