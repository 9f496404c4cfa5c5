# expect: value [[[0, 1, 2], [3, 4, 5]], [0.5, 1.5], [true, false], [], 7]
import numpy as np

[np.arange(6).reshape(2, 3), np.array([0.5, 1.5]), np.array([True, False]), np.zeros((0,)), np.array(7)]
