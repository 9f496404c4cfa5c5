# said: did you mean: get_devices
# value: 2
from servers.data import list_devices
return len(await list_devices())
# mended:
from servers.data import get_devices
return len(await get_devices())
