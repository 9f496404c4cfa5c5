# 10,000 payments: what each department spent, and those that stand out.
import pandas as pd
from servers.documents import get_payments

payments = pd.DataFrame((await get_payments())["payments"])
usual = payments[payments.approved]
odd = payments[payments.amount > 10 * payments.amount.median()]
{
    "rows": len(payments),
    "spent": {name: round(float(sum_), 2) for name, sum_ in usual.groupby("department").amount.sum().items()},
    "odd": odd[["number", "vendor", "amount", "approved"]].to_dict("records"),
}
