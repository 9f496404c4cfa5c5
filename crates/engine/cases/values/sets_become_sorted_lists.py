# expect: value [[1, 2, 10], ["a", "b", "c"], []]
[{10, 1, 2}, frozenset("cab"), set()]
