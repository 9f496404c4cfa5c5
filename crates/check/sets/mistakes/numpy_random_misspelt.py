# expect: certain-crash 4
import numpy as np

print(np.random.randomint(0, 10, 3))
