# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
import collections
import itertools

collections.deque(itertools.repeat(None), maxlen=0)
