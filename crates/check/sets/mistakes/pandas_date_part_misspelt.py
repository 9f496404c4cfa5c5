# expect: certain-crash 5
import pandas as pd

frame = pd.DataFrame({"day": pd.to_datetime(["2026-01-02"])})
print(frame["day"].dt.weekdays)
