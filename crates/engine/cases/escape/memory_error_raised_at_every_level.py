# expect: contained
# limits: {"memory_mib": 32, "cpu_ms": 3000}
held = []


def fill(depth):
    try:
        while True:
            held.append("x" * 100_000)
    except MemoryError:
        try:
            while True:
                held.append([depth])
        except MemoryError:
            return fill(depth + 1) if depth < 50 else None


fill(0)
