# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
import numpy as np

values = np.random.default_rng(1).random(4_000_000)
while True:
    np.sort(values, kind="stable")
