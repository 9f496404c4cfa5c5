# expect: value {"$type": "series", "name": "v", "dtype": "float64", "shape": [2], "values": [0.5, null], "index": ["x", "y"]}
import pandas as pd

pd.Series([0.5, None], index=["x", "y"], name="v")
