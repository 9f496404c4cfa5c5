# said: expected `:`
# value: "many"
from servers.data import get_devices
found = await get_devices()
if found['count'] > 50
    return 'many'
return 'few'
# mended:
from servers.data import get_devices
found = await get_devices()
if found['count'] > 50:
    return 'many'
return 'few'
