# expect: certain-crash 3
rows = [3, 1, 2]
for at in range(len(rows) / 2):
    print(at)
