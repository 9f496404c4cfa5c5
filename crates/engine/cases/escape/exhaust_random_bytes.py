# expect: contained
# limits: {"memory_mib": 64, "cpu_ms": 1000, "wall_ms": 3000}
import os

while True:
    os.urandom(1 << 20)
