class Box:
    def __init__(self, size=1, **more):
        self.size = size
        self.more = more

    @classmethod
    def of(cls, size):
        return cls(size=size, colour="red")

    @staticmethod
    def area(width, height=1):
        return width * height

    @property
    def double(self):
        return self.size * 2

    def __call__(self, times):
        return self.size * times

    def grow(self, by=1):
        self.size += by
        return self

print(Box.of(3).grow(by=2)(2), Box.area(2, height=3), Box(shape="x").double, Box.grow(Box(), by=3).size)
