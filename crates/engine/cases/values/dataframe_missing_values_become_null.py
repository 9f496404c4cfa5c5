# expect: value {"$type": "dataframe", "shape": [2, 2], "columns": ["n", "s"], "dtypes": {"n": "float64", "s": "str"}, "records": [{"n": 1.0, "s": null}, {"n": null, "s": "x"}]}
import pandas as pd

pd.DataFrame({"n": [1.0, None], "s": [None, "x"]})
