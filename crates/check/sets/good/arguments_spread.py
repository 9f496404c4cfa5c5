def f(a, b=2, *rest, c=3, **more):
    return [a, b, rest, c, sorted(more)]


values = (1, 2, 3)
options = {"c": 4, "d": 5}
[f(*values, **options), f(1), f(*values[:2], x=1), f(a=1, **{"b": 0})]
