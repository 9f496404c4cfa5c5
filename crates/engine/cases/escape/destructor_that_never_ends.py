# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
class Endless:
    def __del__(self):
        while True:
            pass


thing = Endless()
del thing
