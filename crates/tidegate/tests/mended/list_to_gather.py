# said: write asyncio.gather(*calls)
# value: 2
import asyncio
from servers.data import get_devices, query_device_history
both = await asyncio.gather([get_devices(room='kitchen'), get_devices(kind='power')])
return len(both)
# mended:
import asyncio
from servers.data import get_devices, query_device_history
both = await asyncio.gather(*[get_devices(room='kitchen'), get_devices(kind='power')])
return len(both)
