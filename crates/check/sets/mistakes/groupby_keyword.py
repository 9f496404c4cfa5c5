# expect: certain-crash 5
import itertools

rows = [("a", 1), ("a", 2)]
print([key for key, _ in itertools.groupby(rows, keyfunc=lambda row: row[0])])
