import pandas as pd
from servers.crm import list_deals

frame = pd.DataFrame((await list_deals())["deals"])
print(frame.amount.sum(), frame.stage.unique(), frame.groupby("stage").amount.mean().to_dict())
frame["double"] = frame.amount * 2
print(frame.double.max(), frame.double.idxmax())
