from enum import Enum, Flag, IntEnum, StrEnum, auto, unique


@unique
class Color(Enum):
    RED = "#f00"
    GREEN = "#0f0"

    @property
    def short(self):
        return self.value[1:]

    @classmethod
    def first(cls):
        return next(iter(cls))


class Size(IntEnum):
    SMALL = 1
    LARGE = 2


class Kind(StrEnum):
    TEXT = auto()
    NUMBER = auto()


class Right(Flag):
    READ = auto()
    WRITE = auto()


class Planet(Enum):
    EARTH = (5.9, 6.3)
    MARS = (0.6, 3.3)

    def __init__(self, mass, radius):
        self.mass = mass
        self.radius = radius


class Old(str, Enum):
    OPEN = "open"


print(Color.RED.value, Color.RED.name, Color.RED.short, Color.first().name, Color["GREEN"].value)
print(Size.LARGE.bit_length(), Size.SMALL.real, Kind.TEXT.upper(), Kind.NUMBER.value.title(), Old.OPEN.capitalize())
print((Right.READ | Right.WRITE).value, Right.READ.name, Planet.EARTH.mass, Planet("x").radius if False else Planet.MARS.radius)
print(Color.RED.GREEN if hasattr(Color.RED, "GREEN") else "", [one.name for one in Color], Color("#f00").name)
