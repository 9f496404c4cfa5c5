# expect: certain-crash 5
import numpy as np

matrix = np.array([[1.0, 2.0], [3.0, 4.0]])
print(np.linalg.invert(matrix))
