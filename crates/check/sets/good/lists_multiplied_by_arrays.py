import numpy as np
import pandas as pd

weights = [0.2, 0.8]
closes = np.array([10.0, 20.0])
pair = (1, 2) * np.array([1, 2])
both = weights * closes
total = float((weights * closes).sum())
column = pd.DataFrame({"close": [1.0, 2.0]})["close"]
print(total, both.mean(), pair.tolist(), (weights * column).sum(), ([1, 2] * column.values).tolist(), [0] * 3)
