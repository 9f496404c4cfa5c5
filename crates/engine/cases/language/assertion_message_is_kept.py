# expect: raised AssertionError: rows missing
rows = []
assert rows, "rows missing"
