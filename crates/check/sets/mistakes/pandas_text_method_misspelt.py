# expect: certain-crash 5
import pandas as pd

frame = pd.DataFrame({"name": ["a", "b"]})
print(frame["name"].str.uppercase())
