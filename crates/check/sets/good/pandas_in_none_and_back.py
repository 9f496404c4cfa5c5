import pandas as pd

def load(rows):
    return pd.DataFrame(rows) if rows else None

frame = load([{"a": 1}])
if frame is not None:
    print(frame.describe().to_dict(), frame.a.map({1: "x"}).tolist(), frame.apply(lambda row: row.a + 1, axis=1).tolist())
