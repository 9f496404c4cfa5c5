# expect: raised AttributeError: .dt accessor
# hint: such as '2024-05-01T10:00:00Z': pd.to_datetime(column, utc=True).dt
import pandas as pd
df = pd.DataFrame({"when": ["2024-05-01T10:00:00Z"]})
df["when"].dt.year
