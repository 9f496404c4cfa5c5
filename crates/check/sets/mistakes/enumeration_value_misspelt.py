# expect: certain-crash 9
from enum import StrEnum


class Level(StrEnum):
    LOW = "low"
    HIGH = "high"

print(Level.LOW.vlaue)
