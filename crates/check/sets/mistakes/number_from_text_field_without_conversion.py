# expect: wrong-type 5
from servers.smart_home import set_temperature

target = input_text = "21"
await set_temperature(device_id="t1", celsius=target)
