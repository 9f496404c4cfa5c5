rows = [1, 2]
rows[2:] = [3, 4, 5]
print(rows[4])
