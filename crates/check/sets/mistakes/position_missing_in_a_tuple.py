# expect: certain-crash 5
from servers.smart_home import list_devices

ROOMS = ("kitchen", "hall")
answer = await list_devices(room=ROOMS[2])
print(answer["count"])
