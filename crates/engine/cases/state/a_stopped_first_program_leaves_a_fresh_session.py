# expect: limit cpu
# limits: {"cpu_ms": 200, "wall_ms": 5000}
leftover = 1
while True:
    pass
# --- next
# expect: raised NameError: leftover
leftover
