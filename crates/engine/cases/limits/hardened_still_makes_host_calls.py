# expect: value 3
# level: hardened
from tidegate import call

await call("add", a=1, b=2)
