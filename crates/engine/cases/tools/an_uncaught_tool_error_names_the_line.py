# expect: raised ToolError: the door is stuck
# servers: demo
# line: 4
from servers.demo import fail, get_devices

devices = await get_devices()
await fail("the door is stuck")
