# expect: unknown-field 11
from dataclasses import dataclass
from servers.smart_home import list_devices

@dataclass
class Device:
    name: str
    room: str

answer = await list_devices()
found = [Device(name=one["name"], room=one["location"]) for one in answer["devices"]]
print(len(found))
