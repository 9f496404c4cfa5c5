from enum import Enum, auto


class Tide(Enum):
    LOW = auto()
    HIGH = auto()

    @property
    def other(self):
        return Tide.HIGH if self is Tide.LOW else Tide.LOW


[tide.name for tide in Tide] + [Tide.LOW.other.value, Tide["HIGH"].name]
