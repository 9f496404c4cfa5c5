# expect: value 49995000
# limits: {"cpu_ms": 5000, "wall_ms": 20000}
sum(n for n in range(10_000))
