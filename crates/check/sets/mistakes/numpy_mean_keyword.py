# expect: certain-crash 5
import numpy as np

values = np.array([1.0, 2.0])
print(np.mean(values, axes=0))
