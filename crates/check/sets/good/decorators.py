import functools
import time


def timed(function):
    @functools.wraps(function)
    def inner(*args, **kwargs):
        started = time.perf_counter()
        try:
            return function(*args, **kwargs)
        finally:
            inner.last = time.perf_counter() - started

    inner.last = 0.0
    return inner


@timed
def work(n):
    return sum(range(n))


[work(1000), work.last >= 0]
