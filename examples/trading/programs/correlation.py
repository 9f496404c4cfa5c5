# Which shares go together: the strongest pairs, and how often a pair is of one sector.
import asyncio
import numpy as np
import pandas as pd
from servers.trading import get_prices, get_shares

shares, prices = await asyncio.gather(get_shares(), get_prices())
sector = {share["symbol"]: share["sector"] for share in shares["shares"]}
closes = pd.DataFrame(prices["prices"]).pivot(index="date", columns="symbol", values="close")
matrix = closes.pct_change().corr()
upper = matrix.where(np.triu(np.ones(matrix.shape, dtype=bool), 1)).stack()
within = [sector[one] == sector[other] for one, other in upper.index]
strongest = upper.sort_values(ascending=False).head(most)
{
    "within a sector": round(float(upper[within].mean()), 3),
    "between sectors": round(float(upper[[not one for one in within]].mean()), 3),
    "strongest": [[one, other, round(float(value), 3)] for (one, other), value in strongest.items()],
}
