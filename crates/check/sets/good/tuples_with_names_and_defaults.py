from collections import namedtuple

Point = namedtuple("Point", "x y", defaults=[0])
Row = namedtuple("Row", "id name email", defaults=(None,) * 2)
Old = namedtuple("Old", "x y")
Old.__new__.__defaults__ = (7,)
totals = {}
for row in [Row(1), Row(2, "b")]:
    totals[row.id] = totals.get(row.id, 0) + 1
print(Point(1).y, Row(1).name, Old(1).y, totals)
