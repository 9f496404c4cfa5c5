# expect: value ["a", "bc"]
import numpy as np

np.array(["a", "bc"])
