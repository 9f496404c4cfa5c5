def add(a, b, c):
    return a + b + c


add.__defaults__ = (1, 2)


class Made:
    def __init__(self, a, b):
        self.a = a


Made.__init__ = lambda self, **given: None
print(add(1), Made().__class__.__name__)
