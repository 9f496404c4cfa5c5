# expect: value [[2, 2, 2], [0, 1, 2]]
late = [lambda: i for i in range(3)]
bound = [lambda i=i: i for i in range(3)]
[[f() for f in late], [f() for f in bound]]
