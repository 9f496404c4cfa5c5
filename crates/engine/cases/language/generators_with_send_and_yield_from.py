# expect: value [1, 3, 6, ["a", "b", "end"]]
def running():
    total = 0
    while True:
        total += yield total


def inner():
    yield "a"
    yield "b"
    return "end"


def outer():
    yield (yield from inner())


sums = running()
next(sums)
[sums.send(1), sums.send(2), sums.send(3), list(outer())]
