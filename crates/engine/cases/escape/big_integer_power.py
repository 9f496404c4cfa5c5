# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
10**10**8
