# expect: certain-crash 5
from servers.crm import list_deals

for deal in (await list_deals())["deals"]:
    print(deal["title"].uper())
