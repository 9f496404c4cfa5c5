# expect: certain-crash 5
from servers.smart_home import list_devices

devices = (await list_devices(room="kitchen"))["devices"]
for name, online in devices.items():
    print(name, online)
