# expect: wrong-type 5
from servers.smart_home import set_light

state = "ON".lower()
await set_light(device_id="d1", on=state)
