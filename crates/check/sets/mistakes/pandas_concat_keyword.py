# expect: certain-crash 5
import pandas as pd

frame = pd.DataFrame({"a": [1]})
print(pd.concat([frame, frame], ignore_idx=True))
