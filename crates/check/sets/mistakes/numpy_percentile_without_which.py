# expect: certain-crash 4
import numpy as np

print(np.percentile([1, 2, 3]))
