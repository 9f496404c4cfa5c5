a = {1, 2, 3}
b = frozenset([3, 4])
union = a | b
{"union": sorted(union), "both": sorted(a & b), "only": sorted(a ^ b), "subset": {3} <= a}
