# expect: contained
class Forged(Exception):
    __module__ = property(lambda self: 1 / 0)

    @property
    def __class__(self):
        raise RuntimeError("no class")

    @property
    def __traceback__(self):
        return "not a traceback"


Forged.__name__ = "LimitExceeded"
Forged.__qualname__ = "Exited"
raise Forged
