# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
import numpy as np

matrix = np.ones((600, 600))
while True:
    matrix @ matrix
