# expect: certain-crash 5
import pandas as pd

frame = pd.DataFrame({"a": [1]})
print(frame.to_csv(indx=False))
