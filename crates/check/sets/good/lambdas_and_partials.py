from functools import partial, reduce

add = lambda x, y=1: x + y
increment = partial(add, y=1)
compose = lambda *fs: reduce(lambda f, g: lambda x: g(f(x)), fs)
[increment(4), compose(increment, str, len)(99), list(map(lambda p: p[0] * p[1], [(1, 2), (3, 4)]))]
