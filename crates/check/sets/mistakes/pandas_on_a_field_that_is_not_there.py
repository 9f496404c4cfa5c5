# expect: unknown-field 6
import pandas as pd
from servers.crm import list_deals

answer = await list_deals()
frame = pd.DataFrame(answer["results"])
print(frame.groupby("stage")["amount"].sum().to_dict())
