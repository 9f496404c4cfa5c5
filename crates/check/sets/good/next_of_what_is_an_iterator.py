import itertools
from servers.smart_home import list_devices

devices = (await list_devices())["devices"]
first = next(iter(devices), None)
second = next((device for device in devices if device["online"]), None)
third = next(filter(None, [0, 3]))
fourth = next(map(str, [1]))
fifth = next(zip("a", "b"))
sixth = next(reversed([1, 2]))
count = itertools.count()
print(first, second, third, fourth, fifth, sixth, next(count), next(enumerate("x")))
