# expect: value [2, "lamp"]
# servers: demo
# freeze: true
from servers.demo import get_devices

devices = await get_devices()
[devices["count"], devices["devices"][0]["name"]]
