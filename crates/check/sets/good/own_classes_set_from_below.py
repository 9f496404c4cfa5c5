import dataclasses
from dataclasses import dataclass


class Loose:
    def __init__(self, **fields):
        for name in fields:
            object.__setattr__(self, name, fields[name])


@dataclass(frozen=True)
class Circle:
    radius: float

    def __post_init__(self):
        object.__setattr__(self, "area", 3 * self.radius**2)


print(Loose(size=3).size, Circle(2).area, dataclasses.replace(Circle(1), radius=2).area)
