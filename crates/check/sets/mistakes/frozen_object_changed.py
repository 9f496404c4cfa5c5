# expect: certain-crash 10
from dataclasses import dataclass


@dataclass(frozen=True)
class Point:
    x: int

point = Point(1)
point.x = 2
