import functools
from collections import UserDict
from types import SimpleNamespace
from typing import NamedTuple


class Record:
    def __init__(self, fields):
        self.fields = fields

    def __getattr__(self, name):
        return self.fields[name]


class Settings(UserDict):
    pass


class Base:
    shared = 1

    def describe(self):
        return self.title + str(self.shared)


class Child(Base):
    title = "child"


class Mixed(SimpleNamespace):
    pass


def titled(cls):
    cls.heading = cls.__name__.lower()
    return cls


@titled
class Page:
    pass


class Late:
    pass


class Odd:
    def __new__(cls):
        return "text"


class Counted:
    def __init__(self):
        self.count: int = 0
        self.first = self.last = None
        (self.left, self.right), *self.rest = (1, 2), 3

    @functools.cached_property
    def doubled(self):
        return self.count * 2

    @classmethod
    def made(cls):
        return cls()

    plus = lambda self: self.count + 1
    alias = made


class Row(NamedTuple):
    name: str
    price: float = 0.0


Late.added = 3
late = Late()
late.other = 4
row = Row("tea")
counted = Counted()
print(Record({"name": "a"}).name, Settings(a=1).data, Child().describe())
print(Mixed(x=1).x, Page().heading, Page.heading, late.added, late.other, Odd().upper())
print(counted.count, counted.first, counted.last, counted.left, counted.right, counted.rest, counted.doubled)
print(Counted.made().count, counted.plus(), counted.alias().count, Child.mro()[1], Child().title.upper())
print(row.name, row.count("tea"), row.index("tea"), row._asdict())
