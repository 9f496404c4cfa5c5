# expect: raised TypeError
# hint: such as '2024-05-01T10:00:00Z': compare pd.to_datetime(column, utc=True) and give the other its zone
import pandas as pd
df = pd.DataFrame({"when": ["2024-05-01T10:00:00Z"]})
df[df["when"] > pd.Timestamp("2024-01-01")]
# --- next
# expect: raised TypeError
# hint: The column's times have a zone (UTC)
df[pd.to_datetime(df["when"]) > pd.Timestamp("2024-01-01")]
# --- next
# expect: raised TypeError
# hint: The column's times have no zone
moments = pd.Series(pd.to_datetime(["2024-05-01"]))
moments > pd.Timestamp("2024-01-01", tz="UTC")
# --- next
# expect: value 1
len(df[pd.to_datetime(df["when"], utc=True) > pd.Timestamp("2024-01-01", tz="UTC")])
