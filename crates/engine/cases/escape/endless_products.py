# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
import itertools

all(itertools.product(range(10), repeat=60))
