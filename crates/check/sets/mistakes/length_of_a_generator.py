# expect: certain-crash 4
from servers.crm import list_deals

print(len(deal for deal in (await list_deals())["deals"] if deal["amount"] > 5))
