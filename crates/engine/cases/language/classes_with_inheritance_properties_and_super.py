# expect: value ["Square", 9, true]
from abc import ABC, abstractmethod


class Shape(ABC):
    @property
    @abstractmethod
    def area(self): ...

    def describe(self):
        return [type(self).__name__, self.area]


class Square(Shape):
    def __init__(self, side):
        super().__init__()
        self.side = side

    @property
    def area(self):
        return self.side**2


Square(3).describe() + [isinstance(Square(1), Shape)]
