# expect: value ["before\nafter\n", "other\n"]
# freeze: true
from tidegate import call

with open("log.txt", "w") as log:
    log.write("before\n")
    await call("later")
    with open("other.txt", "w") as other:
        other.write("other\n")
    log.write("after\n")
[open("log.txt").read(), open("other.txt").read()]
