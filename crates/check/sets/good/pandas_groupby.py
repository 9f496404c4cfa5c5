import pandas as pd

frame = pd.DataFrame({"city": ["Oslo", "Oslo", "Lima"], "rain": [3.0, 5.0, 0.5]})
by_city = frame.groupby("city")["rain"].agg(["mean", "max"]).reset_index()
by_city.sort_values("mean", ascending=False).to_dict("records")
