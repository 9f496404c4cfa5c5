# expect: limit cpu
# limits: {"cpu_ms": 300, "wall_ms": 3000}
import math

math.factorial(10**7)
