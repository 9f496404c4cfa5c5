# said: call a tool of a server instead
# value: 99
import requests
from servers.data import get_devices
found = requests.get('https://example.com/devices').json()
return found['count']
# mended:
from servers.data import get_devices
found = await get_devices()
return found['count']
