# said: make the function async: `async def`
# value: 99
from servers.data import get_devices
def count():
    return (await get_devices())['count']
return count()
# mended:
from servers.data import get_devices
async def count():
    return (await get_devices())['count']
return await count()
