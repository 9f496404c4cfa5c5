# expect: undefined-name 4
from servers.crm import list_deals

print(len(deals))
deals = (await list_deals())["deals"]
