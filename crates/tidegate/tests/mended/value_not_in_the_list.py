# said: should be one of "power", "temperature"
# value: true
from servers.data import get_devices
found = await get_devices(kind='thermometers')
return found['count'] > 0
# mended:
from servers.data import get_devices
found = await get_devices(kind='temperature')
return found['count'] > 0
