# expect: contained
class Endless:
    def __repr__(self):
        return repr(self)


Endless()
