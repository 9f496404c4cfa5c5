# expect: certain-crash 5
import pandas as pd

frame = pd.DataFrame({"a": [1, None]})
print(frame.fillna(valu=0))
