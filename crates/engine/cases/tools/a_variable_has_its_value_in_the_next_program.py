# expect: value 2
# servers: demo
from servers.demo import get_devices


def start():
    global devices
    devices = get_devices()
    return devices["count"]


start()
# --- next
# expect: value ["dict", 2]
# servers: demo
[type(devices).__name__, devices["count"]]
# --- next
# expect: value ["lamp", 2]
# servers: demo
again = get_devices()
[again["devices"][0]["name"], len(again)]
