# expect: unknown-server 2
from servers.smarthome import list_devices

devices = await list_devices()
