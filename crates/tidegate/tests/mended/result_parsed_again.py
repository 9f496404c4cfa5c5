# said: leave json.loads out
# value: 99
import json
from servers.data import get_devices
found = json.loads(await get_devices())
return found['count']
# mended:
from servers.data import get_devices
found = await get_devices()
return found['count']
