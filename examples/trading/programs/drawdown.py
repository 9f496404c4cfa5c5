# The deepest fall of a portfolio that holds every share equally: from when to when, and how deep.
import pandas as pd
from servers.trading import get_prices

closes = pd.DataFrame((await get_prices())["prices"]).pivot(index="date", columns="symbol", values="close")
worth = (closes / closes.iloc[0]).mean(axis=1)
fall = worth / worth.cummax() - 1
bottom = fall.idxmin()
peak = worth[:bottom].idxmax()
after = worth[bottom:]
back = after[after >= worth[peak]]
{
    "deepest": round(float(fall.min()), 4),
    "peak": peak,
    "bottom": bottom,
    "recovered": back.index[0] if len(back) else None,
}
