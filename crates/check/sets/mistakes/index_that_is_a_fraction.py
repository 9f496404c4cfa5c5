# expect: certain-crash 3
rows = [3, 1, 2]
print(sorted(rows)[len(rows) / 2])
