# Every sector's worth over time, as a picture.
import asyncio
import matplotlib.pyplot as plt
import pandas as pd
from servers.trading import get_prices, get_shares

shares, prices = await asyncio.gather(get_shares(), get_prices())
sector = {share["symbol"]: share["sector"] for share in shares["shares"]}
closes = pd.DataFrame(prices["prices"]).pivot(index="date", columns="symbol", values="close")
closes.index = pd.to_datetime(closes.index)
worth = (closes / closes.iloc[0]).T.groupby(sector).mean().T
worth.plot(figsize=(9, 5), title=title, ylabel="worth, at the beginning 1", xlabel="")
plt.tight_layout()
{name: round(float(value), 3) for name, value in worth.iloc[-1].items()}
