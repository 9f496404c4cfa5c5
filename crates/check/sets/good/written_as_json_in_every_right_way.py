import json
from collections import Counter, OrderedDict, namedtuple
from datetime import date, datetime
from decimal import Decimal

Point = namedtuple("Point", "x y")


class Writer(json.JSONEncoder):
    def default(self, value):
        return list(value)


when, tags = date(2026, 1, 2), {"b", "a"}
print(json.dumps({"when": when, "price": Decimal("1.5")}, default=str, indent=1, sort_keys=True))
print(json.dumps({"tags": tags}, cls=Writer), json.dumps(sorted(tags), separators=(",", ":")))
print(json.dumps([Counter("aab"), OrderedDict(a=1), Point(1, 2), (1, 2), None, 1.5]))
print(json.dumps({"at": datetime(2026, 1, 2).isoformat(), "n": len(tags), "all": [*range(3)]}))
options = {"ensure_ascii": False, "default": list}
print(json.dumps({"tags": tags}, **options))
tags = sorted(tags)
print(json.dumps(tags))
try:
    print(json.dumps({1, 2}))
except TypeError:
    print("no set")
