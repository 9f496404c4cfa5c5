# expect: undefined-name 6
from servers.smart_home import list_devices

devices = await list_devices()
offline = [device["name"] for device in devices["devices"] if not device["online"]]
result = {"offline": offline, "error": null}
