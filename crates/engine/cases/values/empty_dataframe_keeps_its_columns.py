# expect: value {"$type": "dataframe", "shape": [0, 2], "columns": ["a", "b"], "dtypes": {"a": "int64", "b": "float64"}, "records": []}
import pandas as pd

pd.DataFrame({"a": [1], "b": [0.5]}).iloc[:0]
