# expect: certain-crash 5
from servers.smart_home import list_devices

answer = await list_devices()
raise "no devices"
