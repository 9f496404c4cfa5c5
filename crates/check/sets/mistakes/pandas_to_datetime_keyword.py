# expect: certain-crash 5
import pandas as pd

frame = pd.DataFrame({"day": ["2026-01-02"]})
frame["day"] = pd.to_datetime(frame["day"], fmt="%Y-%m-%d")
print(frame)
