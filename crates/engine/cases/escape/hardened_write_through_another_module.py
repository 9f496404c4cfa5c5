# expect: value []
# level: hardened
import numpy as np
import pandas as pd

written = []
for name, attempt in {
    "numpy": lambda: np.ones(3).tofile("/workspace/a"),
    "pandas": lambda: pd.DataFrame({"a": [1]}).to_csv("/workspace/b"),
    "open": lambda: open("/workspace/c", "x"),
}.items():
    try:
        attempt()
        written.append(name)
    except OSError:
        pass
written
