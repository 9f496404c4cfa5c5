# expect: value {"name": "Kiel", "position": {"lat": 54.3, "lon": 10.1}, "tags": ["a"]}
from dataclasses import dataclass, field


@dataclass
class Position:
    lat: float
    lon: float


@dataclass
class Harbour:
    name: str
    position: Position
    tags: list = field(default_factory=list)


Harbour("Kiel", Position(54.3, 10.1), ["a"])
