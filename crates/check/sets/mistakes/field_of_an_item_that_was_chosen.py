# expect: unknown-field 5
from servers.smart_home import list_devices

lights = [one for one in (await list_devices())["devices"] if one["kind"] == "light"]
print(lights[0]["rooms"])
