from collections import namedtuple
from dataclasses import dataclass, field, replace
from enum import Enum, auto

class Kind(Enum):
    A = auto()
    B = "b"

@dataclass(order=True, slots=True)
class Row:
    kind: Kind = field(compare=False)
    score: float = 0.0
    tags: list = field(default_factory=list)

Pair = namedtuple("Pair", "left right", defaults=[2])
row = replace(Row(Kind.A), score=2.5)
print(row, Pair(1), Pair(left=1, right=3)._asdict(), Kind("b").name, Kind["A"].value, Kind.B.value)
