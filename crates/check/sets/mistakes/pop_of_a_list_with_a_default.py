# expect: certain-crash 3
rows = [1, 2]
print(rows.pop(0, None))
