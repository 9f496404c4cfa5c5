from dataclasses import dataclass


class A:
    x: Any
    later: "Later"


@dataclass
class R:
    tags: List[str] = None


def f(a: Optional[int] = None) -> Dict[str, int]:
    return {"a": a or 0}


print(A.__name__, R().tags, f(3))
