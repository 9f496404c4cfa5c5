# expect: value ["caught", "caught", "caught"]
# limits: {"memory_mib": 64}
import numpy as np

caught = []
for attempt in (lambda: np.zeros(1 << 28), lambda: np.ones((20_000, 20_000)), lambda: np.tile(np.arange(1000), 100_000)):
    try:
        attempt()
    except (MemoryError, ValueError):
        caught.append("caught")
caught
