import pandas as pd

frame = pd.DataFrame({"when": ["2026-01-01", "2026-02-03"], "name": ["Ann Lee", "Bo Ray"]})
frame["when"] = pd.to_datetime(frame["when"])
print(frame["when"].dt.month.tolist(), frame["name"].str.split(" ").str[0].tolist(), frame.name.str.upper().tolist())
print(frame.set_index("when").resample("ME").size().to_dict(), pd.Timestamp("2026-01-01").isoformat(), pd.Timedelta(days=2).total_seconds())
