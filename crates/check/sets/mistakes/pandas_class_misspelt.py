# expect: certain-crash 6
import pandas as pd
from servers.crm import list_deals

answer = await list_deals()
frame = pd.Dataframe(answer["deals"])
print(frame["amount"].sum())
