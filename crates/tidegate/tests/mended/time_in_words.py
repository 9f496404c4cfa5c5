# said: write it as 2026-01-06
# value: true
from servers.data import get_devices, query_device_history
first = (await get_devices())['devices'][0]
history = await query_device_history(first['id'], start_time='yesterday', limit=3)
return history['device_id'] == first['id']
# mended:
from servers.data import get_devices, query_device_history
first = (await get_devices())['devices'][0]
history = await query_device_history(first['id'], start_time='2026-01-06', limit=3)
return history['device_id'] == first['id']
