# expect: certain-crash 6
import pandas as pd
from servers.crm import list_deals

deals = pd.DataFrame((await list_deals())["deals"])
print(deals["amount"].avg())
