# expect: certain-crash 8
from dataclasses import dataclass


@dataclass
class Row:
    name: str = ""
    size: int

print(Row("a", 1))
