# expect: limit cpu
# limits: {"cpu_ms": 200, "wall_ms": 5000}
from tidegate import call

await call("later")
while True:
    pass
