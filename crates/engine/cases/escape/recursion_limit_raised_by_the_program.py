# expect: contained
import sys

sys.setrecursionlimit(2**31 - 1)


def again(n):
    return again(n + 1)


again(0)
