# said: It has: 'id', 'name', 'room'
# value: true
from servers.data import get_devices
found = await get_devices()
return len({one['location'] for one in found['devices']}) > 1
# mended:
from servers.data import get_devices
found = await get_devices()
return len({one['room'] for one in found['devices']}) > 1
