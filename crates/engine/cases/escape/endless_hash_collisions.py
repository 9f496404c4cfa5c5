# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
class Same:
    def __hash__(self):
        return 1

    def __eq__(self, other):
        return False


{Same() for _ in range(1_000_000)}
