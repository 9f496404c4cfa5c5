# expect: certain-crash 11
from typing import NamedTuple


class Point(NamedTuple):
    x: float
    y: float

start = Point(1, 2)
end = Point(3, 4)
print(end.x - start.x, end.z)
