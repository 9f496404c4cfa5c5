# expect: wrong-value 4
from servers.smart_home import set_temperature

await set_temperature(device_id="t-1", celsius=2)
