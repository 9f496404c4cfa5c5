# expect: certain-crash 5
import numpy as np

random = np.random.default_rng(3)
print(random.randint(0, 10))
