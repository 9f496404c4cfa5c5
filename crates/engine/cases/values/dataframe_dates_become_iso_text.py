# expect: value ["datetime64[us]", "2024-01-02T03:04:05"]
import pandas as pd

stamps = pd.DataFrame({"at": pd.to_datetime(["2024-01-02 03:04:05"])})
[str(stamps.dtypes["at"]), stamps["at"][0]]
# --- next
# expect: value {"$type": "dataframe", "shape": [1, 1], "columns": ["at"], "dtypes": {"at": "datetime64[us]"}, "records": [{"at": "2024-01-02T03:04:05"}]}
stamps
