from dataclasses import InitVar, dataclass

@dataclass
class Base:
    id: int

@dataclass(kw_only=True)
class Child(Base):
    name: str = ""
    raw: InitVar[str] = ""

    def __post_init__(self, raw):
        self.name = self.name or raw

print(Child(1, name="x"), Child(id=2, raw="y"))
