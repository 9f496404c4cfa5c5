import pandas as pd

frame = pd.DataFrame({"a": ["x", "y", "x"], "b": [1, 2, 3], "c": [1.5, 2.5, 3.5]})
groups = frame.groupby("a")
print(groups.size().to_dict(), groups["b"].agg(["min", "max"]).to_dict(), groups.b.sum().to_dict(), groups.agg(total=("b", "sum")).to_dict())
print({key: len(part) for key, part in groups}, groups.get_group("x").shape, groups.ngroups, groups[["b", "c"]].mean().round(1).to_dict())
print(frame.groupby("a", as_index=False)["c"].mean().to_dict("records"), groups.transform("sum").to_dict(), groups.cumcount().tolist())
