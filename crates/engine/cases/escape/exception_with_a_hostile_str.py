# expect: raised Hostile
class Hostile(Exception):
    def __str__(self):
        raise RuntimeError("no message for you")

    __repr__ = __str__


raise Hostile
