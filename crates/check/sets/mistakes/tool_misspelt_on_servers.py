# expect: unknown-tool 4
import servers

state = await servers.smart_home.get_device_state(device_id="lamp-1")
print(state)
