# expect: value [{"x": 1, "y": 2}]
from collections import namedtuple

Point = namedtuple("Point", "x y")
[Point(1, 2)]
