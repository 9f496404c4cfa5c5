# expect: value ["RecursionError", "RecursionError", "RecursionError"]
class Odd:
    def __getattr__(self, name):
        return getattr(self, name + "x")

    def __eq__(self, other):
        return self == other

    def __call__(self):
        return self()

    __hash__ = None


names = []
for attempt in (lambda: Odd().a, lambda: Odd() == 1, lambda: Odd()()):
    try:
        attempt()
    except RecursionError:
        names.append("RecursionError")
names
