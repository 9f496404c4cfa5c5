import io
import pandas as pd

text = "city,rain\nOslo,3\nLima,0\n"
frame = pd.read_csv(io.StringIO(text))
frame = frame[frame["rain"] > 1].copy()
frame.loc[0, "rain"] = 9
frame.columns = ["place", "mm"]
frame = frame.rename(columns={"mm": "rain"}).assign(wet=lambda one: one.rain > 1)
frame.insert(0, "id", range(len(frame)))
frame.sort_values("rain", inplace=True)
done = frame.reset_index(drop=True).set_index("place").T
print(done.to_dict(), frame.shape, frame.iloc[0]["place"], frame.at[frame.index[0], "rain"], frame.dtypes.to_dict())
for row in frame.itertuples(index=False):
    print(row.place, row.rain)
for _, row in frame.iterrows():
    print(row["place"], row.rain)
print(pd.concat([frame, frame], ignore_index=True).pivot_table(index="place", values="rain", aggfunc="sum").to_dict())
