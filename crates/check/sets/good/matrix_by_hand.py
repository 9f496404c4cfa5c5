def multiply(a, b):
    return [[sum(x * y for x, y in zip(row, column)) for column in zip(*b)] for row in a]


def identity(n):
    return [[1 if i == j else 0 for j in range(n)] for i in range(n)]


m = [[1, 2], [3, 4]]
assert multiply(m, identity(2)) == m
multiply(m, m)
