# said: It has: 'count', 'devices'
# value: 99
from servers.data import get_devices
found = await get_devices()
return len(found['items'])
# mended:
from servers.data import get_devices
found = await get_devices()
return len(found['devices'])
