# expect: value ["line 0\n", "line 1\n", ["line 2\n", "line 3\n"]]
# freeze: true
from tidegate import call

with open("lines.txt", "w") as lines:
    lines.writelines(f"line {n}\n" for n in range(4))

with open("lines.txt") as lines:
    first = lines.readline()
    await call("later")
    second = lines.readline()
    await call("later")
    rest = lines.readlines()
[first, second, rest]
