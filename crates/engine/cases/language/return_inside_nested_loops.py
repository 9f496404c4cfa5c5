# expect: value [2, 1]
for i in range(5):
    for j in range(5):
        if i * j == 2 and i > j:
            return [i, j]
return None
