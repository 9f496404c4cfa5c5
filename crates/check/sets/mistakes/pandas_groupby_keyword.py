# expect: certain-crash 5
import pandas as pd

frame = pd.DataFrame({"room": ["a"], "kwh": [1.0]})
print(frame.groupby("room", as_idx=False)["kwh"].sum())
