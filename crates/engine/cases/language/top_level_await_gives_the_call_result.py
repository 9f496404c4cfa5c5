# expect: value {"name": "tide"}
# freeze: true
from tidegate import call

await call("echo", name="tide")
