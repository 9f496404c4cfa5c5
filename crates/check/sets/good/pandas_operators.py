import pandas as pd

first = pd.DataFrame({"a": [1, 2]})
second = first + 1
print((first == second).to_dict(), (-first).sum().sum(), (first @ second.T).shape, (first > 1) & (second < 9), ~(first > 1), 2 * first, first ** 2, first // 2)
print(len(first), "a" in first, list(first), first["a"].values, first[["a"]].values.tolist(), abs(-first).max().item())
