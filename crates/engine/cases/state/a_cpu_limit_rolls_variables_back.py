# expect: value ["original"]
values = ["original"]
# --- next
# expect: limit cpu
# limits: {"cpu_ms": 200, "wall_ms": 5000}
values.append("changed")
while True:
    pass
# --- next
# expect: value ["original"]
values
