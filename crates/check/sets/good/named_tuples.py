from collections import namedtuple
from typing import NamedTuple

Point = namedtuple("Point", "x y")


class Place(NamedTuple):
    name: str
    at: Point = Point(0, 0)


place = Place("pier", Point(1, 2))
[place.at.x + place.at[1], place._replace(name="dock").name, *Point(3, 4)]
