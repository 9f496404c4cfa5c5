import io
import numpy as np
import pandas as pd

text = "city;rain;day\nOslo;3;2026-01-02\nLima;0;2026-01-03\nOslo;;2026-01-04\n"
frame = pd.read_csv(io.StringIO(text), sep=";", parse_dates=["day"])
pieces = [len(piece) for piece in pd.read_csv(io.StringIO(text), sep=";", chunksize=2)]
frame["rain"] = frame["rain"].fillna(value=0).astype(int)
frame["wet"] = frame["rain"].gt(1) & frame["city"].str.lower().str.startswith("o")
frame["month"] = frame["day"].dt.to_period("M").astype(str)
by_city = frame.groupby("city", as_index=False, sort=True)["rain"].agg(["sum", "max"])
both = frame.merge(by_city, how="left", on="city", suffixes=("", "_all"), indicator=True)
frame.drop(columns=["wet"], inplace=True)
frame = frame.sort_values("rain", ascending=False, ignore_index=True)
wide = frame.pivot_table(index="city", columns="month", values="rain", aggfunc="sum", fill_value=0)
print(pieces, both.shape, wide.to_dict(), frame.rename(columns=str.upper).columns.tolist())
print(frame["rain"].rolling(2, min_periods=1).mean().tolist(), frame[["city", "rain"]].to_dict("records"))
print(frame["rain"].apply(lambda mm: mm * 2).sum(), frame["city"].value_counts(normalize=True).to_dict())
print(frame.groupby("city")["rain"].transform("sum").tolist(), frame.query("rain > 1").rain.sum())
print(frame["city"].str.replace("o", "0", case=False, regex=True).str.cat(sep=", "), frame["city"].str[0].tolist())
print(pd.concat([frame, frame], axis=0, ignore_index=True).drop_duplicates("city", keep="last").shape)
two = pd.DataFrame([[1, 2, 3]], columns=["a", "a", "b"])
print(two["a"].merge(two["a"], left_index=True, right_index=True).shape, two["a"].columns.tolist())
values = np.array([[1.0, 2.0], [3.0, 5.0]])
print(np.linalg.inv(values).round(2).tolist(), np.mean(values, axis=0, keepdims=True).tolist())
print(np.percentile(values, [25, 75], axis=1).tolist(), np.linspace(0, 1, num=3, endpoint=False).tolist())
print(np.arange(start=1, stop=4).tolist(), np.sort(values, axis=None, descending=True).tolist(), np.concatenate([[1], [2]]).tolist())
chance = np.random.default_rng(seed=3)
np.random.seed(3)
print(chance.integers(0, 10, size=2).shape, np.random.randint(0, 10, 3).shape, values.reshape(4).copy().astype(int).sum(axis=0))
series = pd.Series({"tea": 3, "milk": 1}, name="price")
print(series.tea, series["milk"], series.sort_values(ascending=False).index.tolist(), 5 > series["tea"])
