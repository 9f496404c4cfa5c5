# expect: certain-crash 5
import pandas as pd

frame = pd.DataFrame({"a": [1], "b": [2]})
print(frame.drop(column=["a"]))
