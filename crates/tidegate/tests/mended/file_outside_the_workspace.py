# said: Files live in /workspace
# value: "written"
from servers.data import get_devices
found = await get_devices()
with open('/data/devices.txt', 'w') as file:
    file.write(str(found['count']))
return 'written'
# mended:
from servers.data import get_devices
found = await get_devices()
with open('/workspace/devices.txt', 'w') as file:
    file.write(str(found['count']))
return 'written'
