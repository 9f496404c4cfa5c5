# expect: value "int"
"""A program may open with a docstring."""
from __future__ import annotations


def f(x: int) -> int:
    return x


f.__annotations__["x"]
