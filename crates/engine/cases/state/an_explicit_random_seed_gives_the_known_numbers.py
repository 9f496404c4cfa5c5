# expect: value [18, 73, 98]
# freeze: true
import random

random.seed(1)
[random.randint(1, 100) for _ in range(3)]
# --- next
# expect: value [9, 33, 16]
[random.randint(1, 100) for _ in range(3)]
