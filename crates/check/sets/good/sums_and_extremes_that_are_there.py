from decimal import Decimal
from fractions import Fraction


class Money:
    def __init__(self, amount):
        self.amount = amount

    def __radd__(self, other):
        return other + self.amount


scores = []
print(max(scores, default=None), min([], default=0), max([] or [1]), sum([]), sum({}), sum({3: "a", 4: "b"}))
scores.append(3)
print(max(scores), sum([Decimal("1.5"), Decimal("2")]), sum([Fraction(1, 2)]), sum([Money(2), Money(3)]))
print(sum([[1], [2]], []), sum(["ab".count("a")]), sum(len(word) for word in ["a", "b"]), max("b", "a"), min("ba"))
found = []
for number in range(3):
    found += [number]
print(max(found), sum(map(int, ["1", "2"])), sum(int(text) for text in ["1", "2"]))
try:
    largest = max([])
except ValueError:
    largest = 0
print(largest, sum(str(n) for n in []))
