# expect: raised Shy
class Shy(Exception):
    def __getattribute__(self, name):
        raise ValueError(name)


raise Shy("m")
