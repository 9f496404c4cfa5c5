# expect: value [2, "lamp", ["lamp", "door"]]
# servers: demo
# freeze: true
from servers.demo import get_devices

devices = get_devices()
first = devices["devices"][0]
[devices["count"], first["name"], [one["name"] for one in devices["devices"]]]
