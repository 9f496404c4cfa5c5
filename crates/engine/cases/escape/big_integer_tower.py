# expect: contained
# limits: {"cpu_ms": 300, "wall_ms": 3000}
9**9**9
