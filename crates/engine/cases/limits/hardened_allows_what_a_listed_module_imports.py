# expect: value [2, {"a": 1}, 3, 6]
# level: hardened
import json
import statistics

import numpy as np
import pandas as pd

frame = pd.DataFrame({"n": [1, 2, 3]})
[statistics.median([1, 2, 3]), json.loads('{"a": 1}'), int(np.max(frame["n"])), int(frame["n"].sum())]
