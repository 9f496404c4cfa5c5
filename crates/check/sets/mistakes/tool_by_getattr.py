# expect: unknown-tool 4
import servers.smart_home

lamp = getattr(servers.smart_home, "set_lamp")
await lamp(device_id="l1", on=True)
