# expect: value ["point 1 2", "circle 3", "list of 3", "other"]
from dataclasses import dataclass


@dataclass
class Point:
    x: int
    y: int


def name(thing):
    match thing:
        case Point(x=x, y=y):
            return f"point {x} {y}"
        case {"kind": "circle", "radius": radius}:
            return f"circle {radius}"
        case [_, *rest] if rest:
            return f"list of {1 + len(rest)}"
        case _:
            return "other"


[name(t) for t in (Point(1, 2), {"kind": "circle", "radius": 3}, [1, 2, 3], 7)]
