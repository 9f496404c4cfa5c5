def zip(*values):
    return []


def enumerate(items):
    return []


for one in zip([1], [2]):
    print("a" + 1)
for at, one in enumerate([1]):
    print("a" + 1)
for one in map(lambda a, b: a, [1], []):
    print("a" + 1)
for one in filter(None, [0]):
    print("a" + 1)
rows = [1]
largest = max(rows, [0])
largest.clear()
for one in rows:
    print("a" + 1)
more = [1]
same = sum([], more)
print("ok")
