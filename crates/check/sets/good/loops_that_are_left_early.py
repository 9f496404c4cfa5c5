for d in (2, 0):
    print(1 / d)
    break
print(any(10 / d > 1 for d in [1, 0]))


def first(ds):
    for d in ds:
        if 8 / d == 2:
            return d


print(first([4, 0]), next(8 / d for d in [4, 0]))
rows = []
for row in rows:
    print(row + 1, "a" + 5)
