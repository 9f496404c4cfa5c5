# expect: value 6
# limits: {"wall_ms": 5000}
class Endless:
    def __del__(self):
        while True:
            pass


x = [float(i) for i in range(300_000)]
del x
endless = Endless()
endless.me = endless
del endless
x = 6
