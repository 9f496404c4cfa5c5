# expect: undefined-name 5
from servers.crm import list_deals

for deal in (await list_deals())["deals"]:
    print(json.dumps(deal))
