# expect: value [5, "add", 2]
import functools

calls = 0


def counted(times):
    def wrap(function):
        @functools.wraps(function)
        def inner(*args, **kwargs):
            global calls
            calls += times
            return function(*args, **kwargs)

        return inner

    return wrap


@counted(times=2)
def add(a, /, b=0, *, c=0):
    return a + b + c


[add(1, 2, c=2), add.__name__, calls]
