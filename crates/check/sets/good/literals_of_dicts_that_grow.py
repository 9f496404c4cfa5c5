from servers.smart_home import list_devices

rooms = {"kitchen": {"lights": 0}}
for device in (await list_devices())["devices"]:
    rooms.setdefault(device["room"], {"lights": 0})["lights"] += 1
rooms["kitchen"]["sensors"] = 3
print(rooms["kitchen"]["sensors"])
