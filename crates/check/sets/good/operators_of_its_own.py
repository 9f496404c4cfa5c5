class Vector:
    def __init__(self, x, y):
        self.x, self.y = x, y

    def __add__(self, other):
        return Vector(self.x + other.x, self.y + other.y)

    def __mul__(self, factor):
        return Vector(self.x * factor, self.y * factor)

    __rmul__ = __mul__

    def __eq__(self, other):
        return (self.x, self.y) == (other.x, other.y)

    def __getitem__(self, index):
        return (self.x, self.y)[index]

    def __iter__(self):
        return iter((self.x, self.y))


v = 2 * (Vector(1, 2) + Vector(3, 4))
[list(v), v[0], v == Vector(8, 12)]
