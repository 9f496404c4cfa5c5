# said: did you mean: servers.data
# value: 99
from servers.house import get_devices
return (await get_devices())['count']
# mended:
from servers.data import get_devices
return (await get_devices())['count']
