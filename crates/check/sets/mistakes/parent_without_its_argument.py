# expect: certain-crash 8
class Base:
    def __init__(self, name):
        self.name = name

class Special(Base):
    def __init__(self, name):
        super().__init__()
        self.kind = "special"

print(Special("a").kind)
