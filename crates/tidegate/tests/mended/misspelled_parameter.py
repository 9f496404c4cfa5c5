# said: did you mean: room
# value: true
from servers.data import get_devices
found = await get_devices(rooom='kitchen')
return found['count'] < 99
# mended:
from servers.data import get_devices
found = await get_devices(room='kitchen')
return found['count'] < 99
