# expect: value true
# seed: 7
# freeze: true
import random

first = [random.random() for _ in range(3)]
len(set(first)) == 3
# --- next
# expect: value true
second = [random.random() for _ in range(3)]
not set(first) & set(second)
