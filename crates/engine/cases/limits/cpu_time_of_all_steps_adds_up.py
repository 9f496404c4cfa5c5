# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 10000, "calls": 1000}
from tidegate import call

while True:
    for _ in range(200_000):
        pass
    await call("echo")
