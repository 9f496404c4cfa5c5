# expect: contained
# limits: {"cpu_ms": 2000, "wall_ms": 5000}
class Liar:
    __class__ = dict

    def __getattr__(self, name):
        return lambda *args, **kwargs: self

    def __getitem__(self, key):
        return self


Liar()
