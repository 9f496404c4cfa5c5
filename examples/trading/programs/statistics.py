# Yearly return and risk of what the account holds, weighted by value.
import numpy as np
import pandas as pd
from servers.trading import get_positions, get_prices

positions = pd.DataFrame((await get_positions(account=account))["positions"])
held = positions[positions.quantity > 0].set_index("symbol")
prices = pd.DataFrame((await get_prices(symbols=list(held.index)))["prices"])
returns = prices.pivot(index="date", columns="symbol", values="close").pct_change().dropna()
weights = held.value / held.value.sum()
daily = returns[weights.index] @ weights
yearly, risk = daily.mean() * 252, daily.std() * np.sqrt(252)
{
    "account": account,
    "shares held": len(held),
    "value": round(float(held.value.sum()), 2),
    "yearly return": round(float(yearly), 4),
    "yearly risk": round(float(risk), 4),
    "sharpe": round(float((yearly - risk_free) / risk), 4),
    "worst day": [daily.idxmin(), round(float(daily.min()), 4)],
}
