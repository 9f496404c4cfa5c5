# expect: certain-crash 5
import pandas as pd

frame = pd.DataFrame({"stage": ["won", "lost"]})
counts = frame["stage"].value_count()
print(counts)
