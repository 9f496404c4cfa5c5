# expect: value {"$type": "dataframe", "shape": [2, 3], "columns": ["city", "level", "high"], "dtypes": {"city": "str", "level": "float64", "high": "bool"}, "records": [{"city": "Kiel", "level": 1.5, "high": true}, {"city": "Husum", "level": 0.25, "high": false}]}
import pandas as pd

pd.DataFrame({"city": ["Kiel", "Husum"], "level": [1.5, 0.25], "high": [True, False]})
