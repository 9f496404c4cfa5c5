# expect: value 3
# limits: {"cpu_ms": 400}
from tidegate import call

for n in range(3):
    await call("later", ms=200)
n + 1
