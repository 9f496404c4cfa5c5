from servers.smart_home import list_devices, get_state

devices = list_devices()
names = [device["name"] for device in devices["devices"]]
print(list_devices(room="hall")["count"])
for device in list_devices()["devices"]:
    print(get_state(device["id"]))
total = len(list_devices()["devices"]) + devices["count"]
{"names": names, "total": total}
