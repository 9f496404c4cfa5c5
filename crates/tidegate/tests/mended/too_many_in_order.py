# said: give start_time, end_time, limit by name
# value: 5
from servers.data import get_devices, query_device_history
first = (await get_devices())['devices'][0]
history = await query_device_history(first['id'], '2026-01-05', '2026-01-06', 5)
return len(history['points'])
# mended:
from servers.data import get_devices, query_device_history
first = (await get_devices())['devices'][0]
history = await query_device_history(first['id'], start_time='2026-01-05', end_time='2026-01-06', limit=5)
return len(history['points'])
