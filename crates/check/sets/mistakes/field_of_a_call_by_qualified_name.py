# expect: unknown-field 5
from servers import callMCPTool

found = await callMCPTool("mcp__smart-home__list_devices", {"room": "kitchen"})
for device in found["device"]:
    print(device["name"])
