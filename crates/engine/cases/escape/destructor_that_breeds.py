# expect: contained
# limits: {"cpu_ms": 500, "wall_ms": 3000, "memory_mib": 64}
class Phoenix:
    def __del__(self):
        Phoenix()


Phoenix()
"risen"
