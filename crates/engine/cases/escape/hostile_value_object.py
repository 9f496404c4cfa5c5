# expect: contained
# limits: {"cpu_ms": 2000, "wall_ms": 5000, "memory_mib": 64}
class Hostile(dict):
    def __iter__(self):
        raise SystemExit("from a value")

    def __len__(self):
        return -1

    def items(self):
        while True:
            yield "k", "v" * 1000

    keys = values = items


Hostile()
