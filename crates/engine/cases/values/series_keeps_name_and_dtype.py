# expect: value {"$type": "series", "name": "level", "dtype": "int64", "shape": [3], "values": [3, 1, 2]}
import pandas as pd

pd.Series([3, 1, 2], name="level")
