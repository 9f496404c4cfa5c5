# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
class Endless(Exception):
    def __str__(self):
        while True:
            pass


raise Endless
