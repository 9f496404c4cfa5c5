# expect: unknown-tool 2
from servers.weather import current, list_devices

now = await current(city="Bergen")
devices = await list_devices()
print(now["temperature"], devices["count"])
