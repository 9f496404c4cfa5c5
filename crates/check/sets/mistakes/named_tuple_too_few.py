# expect: certain-crash 5
from collections import namedtuple

Point = namedtuple("Point", ["x", "y"])
print(Point(1))
