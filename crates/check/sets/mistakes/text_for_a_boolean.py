# expect: wrong-type 4
from servers.smart_home import set_light

await set_light(device_id="lamp-1", on="true")
