# expect: value "caught"
# limits: {"memory_mib": 64}
import pandas as pd

side = pd.DataFrame({"k": [0] * 10_000})
try:
    side.merge(side, on="k")
except MemoryError:
    result = "caught"
