# expect: value {"$type": "dataframe", "shape": [2, 2], "columns": ["a", "b"], "dtypes": {"a": "int64", "b": "int64"}, "records": [{"a": 9007199254740993, "b": 1}, {"a": -1, "b": 2}]}
import pandas as pd

pd.DataFrame({"a": [2**53 + 1, -1], "b": [1, 2]})
