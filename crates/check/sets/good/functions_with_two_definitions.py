import time

try:
    from statistics import mean
except ImportError:

    def mean(xs, k):
        return k


print(mean([1, 2]))


def log(message):
    pass


if time.time() > 1:

    def log(message, *more):
        print(message, *more)


log("x", 1)
