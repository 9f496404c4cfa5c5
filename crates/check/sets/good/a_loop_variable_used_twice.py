from servers.crm import list_deals
from servers.smart_home import list_devices

for one in (await list_deals())["deals"]:
    print(one["amount"])
for one in (await list_devices())["devices"]:
    print(one["room"])
for one in [{"x": 1}]:
    print(one["x"])
