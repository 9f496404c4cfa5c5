from abc import ABC, abstractmethod
from collections import namedtuple
from dataclasses import KW_ONLY, InitVar, dataclass, field, replace
from typing import ClassVar, NamedTuple


@dataclass
class Report:
    title: str
    rows: list = field(default_factory=list)
    kinds: ClassVar[list] = ["a"]
    extra: InitVar[int] = 3
    _: KW_ONLY
    needed: int


@dataclass(kw_only=True)
class Late:
    first: int = 1
    second: int


@dataclass(frozen=True)
class Point:
    x: int
    y: int = 0
    length: float = field(init=False, default=0.0)

    def __post_init__(self):
        object.__setattr__(self, "length", (self.x**2 + self.y**2) ** 0.5)


class Pair(NamedTuple):
    left: int
    right: int = 2


class Shape(ABC):
    @abstractmethod
    def area(self): ...

    @classmethod
    def of(cls, *sizes):
        return cls(*sizes)


class Square(Shape):
    def __init__(self, side):
        super().__init__()
        self.side = side

    def area(self):
        return self.side**2


class Named:
    def __init__(self, name, kind="plain"):
        self.name, self.kind = name, kind


class Special(Named):
    def __init__(self, name):
        super().__init__(name)


class Mixed(Special, dict):
    pass


Size = namedtuple("Size", ["width", "height"], defaults=[1])
Other = namedtuple("Other", "a b")
double = lambda value, times=2: value * times
point = Point(3, 4)
point = replace(point, x=5)
pair = Pair(1)._replace(right=5)
print(Report("a", needed=1).kinds, Late(second=2), point.x, pair, Square.of(3).area(), Special("b").kind)
print(Size(3), Other(*[1, 2]), Other(a=1, b=2), double(3), double(value=1, times=3), (lambda: 3)(), Mixed("c").name)
try:
    point.x = 3
except AttributeError:
    print("frozen")
