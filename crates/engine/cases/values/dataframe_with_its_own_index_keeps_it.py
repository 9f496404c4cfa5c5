# expect: value {"$type": "dataframe", "shape": [2, 1], "columns": ["n"], "dtypes": {"n": "int64"}, "records": [{"n": 1}, {"n": 2}], "index": ["a", "b"]}
import pandas as pd

pd.DataFrame({"n": [1, 2]}, index=["a", "b"])
