# expect: value ["RecursionError", 200]
# limits: {"recursion": 400}
def depth(n):
    return 0 if n == 0 else 1 + depth(n - 1)


try:
    depth(450)
except RecursionError as problem:
    result = [type(problem).__name__, depth(200)]
