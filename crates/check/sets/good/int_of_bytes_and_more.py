import numpy as np

print(int(b"12"), int(True), int(3.9), int(np.int64(4)), int("12", base=8))
