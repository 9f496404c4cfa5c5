range = lambda count: []
len = lambda items: items.clear()
rows = [1]
len(rows)
for one in rows:
    print("a" + 1)
for one in range(3):
    print("a" + 1)
print("ok")
