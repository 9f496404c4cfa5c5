import functools

def tagged(**tags):
    def wrap(function):
        @functools.wraps(function)
        def inner(*values, **named):
            named.pop("extra", None)
            return function(*values, **named)
        return inner
    return wrap

@tagged(a=1)
def add(a, b):
    return a + b

print(add(1, 2, extra=3), functools.partial(add, 1)(2, extra=1))
