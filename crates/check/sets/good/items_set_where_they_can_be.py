point = (3, 4)
point = list(point)
point[0] = 5
word = "hallo"
word = list(word)
word[1] = "e"
pair = (1, [2])
pair[1][0] = 3
rows = [(1, 2), (3, 4)]
rows[0] = (5, 6)
data = bytearray(b"abc")
data[0] = 65
table = {(0, 0): 1}
table[0, 1] = 2
named = {"a": (1, 2)}
named["a"] = (3, 4)


class Board(tuple):
    def __setitem__(self, at, value):
        print(at, value)


board = Board((1, 2))
board[0] = 3
try:
    fixed = (1, 2)
    fixed[0] = 2
except TypeError:
    fixed = [2, 2]
print(point, "".join(word), pair, rows, data, table, named, fixed)
