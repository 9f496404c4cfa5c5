# expect: value [["lamp", "door"], 3, ["0", "1"]]
# servers: demo
# freeze: true
import servers.demo as demo

names = []
for device in demo.get_devices()["devices"]:
    names.append(device["name"])
count = 0
for key in demo.slow("x", ms=1):
    count += 1
if demo.slow("y"):
    count += 1
[names, count, [demo.slow(str(n))["text"] for n in range(2)]]
