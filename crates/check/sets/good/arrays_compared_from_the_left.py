import datetime as dt

import numpy as np
import pandas as pd


def positive(x):
    return (0 < x).sum()


def second(x):
    return (1 < x)[0], len(1 < x)


a = np.array([5, 6])
s = pd.Series([1, 2])
df = pd.DataFrame({"a": ["x", "y"], "value": [1, 200000], "d": pd.to_datetime(["2024-01-01", "2024-02-01"])})
start = dt.datetime(2024, 1, 15)
big = (100000 < df["value"]).sum()
mask = 1.5 <= np.mean([[1, 2], [3, 4]], axis=0)
ok = (1 <= a) & (a <= 5)
nothing = None == df["a"]
print(positive(a), second(a), int(big), mask.tolist(), a[ok].tolist(), ok.sum(), nothing.any())
print(int((5 == a).sum()), bool((5 != a).any()), ([5, 6] == a).all(), (1.0 != a).tolist())
print((1 == s).sum(), (0 <= s).all(), ((1, 2) == s).tolist(), ("x" == df["a"]).sum(), df["x" == df["a"]].shape)
print((start < df["d"]).sum().item(), (start <= df.d).tolist())
for one in 1 < a:
    print(one)
