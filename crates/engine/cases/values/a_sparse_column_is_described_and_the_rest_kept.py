# expect: value [5, true]
import pandas as pd
from _tidegate import values
import json

text = values.encode({"total": 5, "df": pd.get_dummies(pd.Series(list("ab")), sparse=True)})[0]
back = json.loads(text)
[back["total"], "df" in back]
