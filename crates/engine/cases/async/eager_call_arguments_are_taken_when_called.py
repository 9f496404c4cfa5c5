# expect: value {"items": [1]}
from tidegate import call

items = [1]
pending = call("echo", items=list(items))
items.append(2)
await pending
