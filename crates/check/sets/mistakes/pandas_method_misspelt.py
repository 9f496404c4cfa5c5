# expect: certain-crash 7
import pandas as pd
from servers.crm import list_deals

answer = await list_deals()
frame = pd.DataFrame(answer["deals"])
totals = frame.groupBy("stage")["amount"].sum()
print(totals.to_dict())
