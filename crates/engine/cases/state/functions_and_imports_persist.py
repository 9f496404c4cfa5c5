# expect: value 3.0
# freeze: true
import math as m


def root(n):
    return m.sqrt(n)


root(9)
# --- next
# expect: value [4.0, 2]
[root(16), m.floor(2.9)]
