# expect: value [1000, 2]
# freeze: true
import numpy as np
import pandas as pd

frame = pd.DataFrame({"n": np.arange(1000), "half": np.arange(1000) / 2})
list(frame.shape)
# --- next
# expect: value [499500, 249750.0]
[int(frame["n"].sum()), float(frame["half"].sum())]
# --- next
# expect: value {"even": 249500, "odd": 250000}
frame["kind"] = np.where(frame["n"] % 2 == 0, "even", "odd")
{kind: int(total) for kind, total in frame.groupby("kind")["n"].sum().items()}
