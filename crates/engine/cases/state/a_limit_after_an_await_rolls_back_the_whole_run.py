# expect: value 1
level = 1
# --- next
# expect: limit cpu
# limits: {"cpu_ms": 200, "wall_ms": 5000}
from tidegate import call

level = 2
await call("later")
level = 3
while True:
    pass
# --- next
# expect: value 1
level
