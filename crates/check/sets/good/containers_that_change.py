stats = {"count": 0}


def fill(target):
    target["names"] = ["a"]
    target["best"] = "x"


fill(stats)
stats["names"].append("b")
print(stats["best"].upper(), stats["count"] + 1)
row = [1, 2]
row.append("three")
print(row[-1].upper())
record = dict(id=1)
record["name"] = "ada"
record.update(tags=["x"])
print(record["name"].title(), record["tags"][0])
grid = [[0] * 3 for _ in range(3)]
grid[1][1] = "X"
"".join(str(cell) for line in grid for cell in line)
