# expect: value {"rows": 1, "frame": {"$type": "dataframe", "shape": [1, 1], "columns": ["a"], "dtypes": {"a": "int64"}, "records": [{"a": 1}]}}
import pandas as pd

{"rows": 1, "frame": pd.DataFrame({"a": [1]})}
