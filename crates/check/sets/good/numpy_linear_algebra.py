import numpy as np

a = np.array([[2.0, 1.0], [1.0, 3.0]])
b = np.array([1, 2])
x = np.linalg.solve(a, b)
assert np.allclose(a @ x, b)
x.round(3).tolist()
