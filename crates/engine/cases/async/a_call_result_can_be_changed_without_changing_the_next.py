# expect: value [[1, 2], [1]]
from tidegate import call

first = await call("echo", items=[1])
first["items"].append(2)
second = await call("echo", items=[1])
[first["items"], second["items"]]
