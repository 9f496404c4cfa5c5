# expect: value ["caught", 100.0]
# limits: {"memory_mib": 64}
import numpy as np

try:
    np.ones(25_000_000)
except MemoryError:
    # numpy raises a subclass of its own.
    result = ["caught", float(np.ones(100).sum())]
