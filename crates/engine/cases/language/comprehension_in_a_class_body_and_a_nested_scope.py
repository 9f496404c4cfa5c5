# expect: value [[1, 4, 9], 6]
class Table:
    squares = [n * n for n in (1, 2, 3)]


def outer():
    total = 0

    def add(n):
        nonlocal total
        total += n

    for n in (1, 2, 3):
        add(n)
    return total


[Table.squares, outer()]
