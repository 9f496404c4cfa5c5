import numpy as np
import numpy.linalg as la
from numpy import linalg, random
from numpy.random import default_rng

print(la.det(np.eye(2)), linalg.inv(np.eye(2)).tolist(), random.seed(1), default_rng(2).random() < 1, np.fft.fft([1, 0]).real, np.testing, np.typing)
