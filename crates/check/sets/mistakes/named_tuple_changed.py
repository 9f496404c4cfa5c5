# expect: certain-crash 10
from typing import NamedTuple


class Point(NamedTuple):
    x: int
    y: int

point = Point(1, 2)
point.x = 3
