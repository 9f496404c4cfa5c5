# said: needs 'device_id', which is missing
# value: 3
from servers.data import query_device_history
history = await query_device_history(limit=3)
return len(history['points'])
# mended:
from servers.data import get_devices, query_device_history
device = (await get_devices())['devices'][0]
history = await query_device_history(device_id=device['id'], limit=3)
return len(history['points'])
