# expect: value [[[1, 2], [3, 4]]]
import numpy as np

[np.matrix([[1, 2], [3, 4]])]
