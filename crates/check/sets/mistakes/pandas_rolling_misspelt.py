# expect: certain-crash 5
import pandas as pd

series = pd.Series([1, 2, 3])
print(series.roling(2).mean())
