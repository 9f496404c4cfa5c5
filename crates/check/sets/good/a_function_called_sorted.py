def sorted(rows, by):
    return [row for _, row in __builtins_sorted(rows, by)]

def __builtins_sorted(rows, by):
    pairs = [(by(row), row) for row in rows]
    pairs.sort()
    return pairs

print(sorted([3, 1, 2], lambda one: -one))
