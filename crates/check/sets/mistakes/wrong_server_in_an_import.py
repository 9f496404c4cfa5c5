# expect: unknown-tool 2
from servers.smart_home import list_devices, current

print((await current(city="Oslo"))["temperature"])
